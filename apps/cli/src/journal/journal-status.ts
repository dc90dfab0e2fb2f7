import { committedOffsets, topicOffsets, UnknownTopicError, type GroupMember } from '@tranche/kafka';
import {
  healthOf,
  JOURNAL_PARTITIONS,
  recordHash,
  whyUnreadable,
  type PartitionFacts,
  type PartitionHealth,
  type SkippedRecord,
} from '@tranche/order-journal';
import { CannotTellError, EXIT } from '../exit.js';
import type { JournalAccess } from './journal-access.js';

export type PartitionStatus = PartitionFacts & PartitionHealth;

export interface JournalStatus {
  topic: string;
  exists: boolean;
  members: GroupMember[];
  partitions: PartitionStatus[];
  /** Records that were skipped. Their orders are frozen. */
  skipped: readonly SkippedRecord[];
}

/** @throws CannotTellError where the topic has fewer partitions than a journal */
export async function journalStatus(access: JournalAccess): Promise<JournalStatus> {
  const { client, journal } = access;
  const members = await access.members();
  const ends = await unlessMissing(topicOffsets(client, journal));
  if (ends !== undefined && ends.size < JOURNAL_PARTITIONS)
    throw new CannotTellError(`${journal} has ${ends.size} partitions and must have at least ${JOURNAL_PARTITIONS}`);
  const committed = (await unlessMissing(committedOffsets(client, access.gatewayGroup, journal))) ?? new Map<number, bigint>(); // prettier-ignore
  const partitions = await Promise.all(
    Array.from({ length: JOURNAL_PARTITIONS }, async (_, partition): Promise<PartitionStatus> => {
      const facts = await factsOf(access, partition, ends?.get(partition), committed.get(partition));
      return { ...facts, ...healthOf(facts) };
    }),
  );
  return { topic: journal, exists: ends !== undefined, members, partitions, skipped: access.recovery.skips };
}

export function exitCodeOf({ partitions }: JournalStatus): number {
  if (partitions.some(({ state }) => state === 'damaged')) return EXIT.failed;
  return partitions.some(({ state }) => state === 'unknown') ? EXIT.cannotTell : EXIT.done;
}

async function factsOf(
  access: JournalAccess,
  partition: number,
  ends: PartitionFacts['ends'],
  committed: bigint | undefined,
): Promise<PartitionFacts> {
  const { mark, isUnverified } = await access.index.read(partition);
  const facts: PartitionFacts = { partition, unreadable: [] };
  if (ends !== undefined) facts.ends = ends;
  if (mark !== undefined) facts.mark = mark;
  if (isUnverified) facts.isIndexUnverified = true;
  if (committed !== undefined) facts.committed = committed;
  if (ends === undefined) return facts;
  const isMarkerKept = mark !== undefined && mark.marker >= ends.low && mark.marker < ends.high;
  if (isMarkerKept) {
    const hashAtMarker = await hashAt(access, partition, mark.marker);
    if (hashAtMarker !== undefined) facts.hashAtMarker = hashAtMarker;
  }
  // A gateway reads from behind the marker; without an index that fits it reads all.
  const isSound = isMarkerKept && healthOf(facts).state === 'healthy';
  const from = isSound ? mark.marker + 1n : ends.low;
  return { ...facts, unreadable: await unreadableOf(access, partition, from, ends.high) };
}

async function hashAt(access: JournalAccess, partition: number, offset: bigint): Promise<string | undefined> {
  for await (const records of access.read(partition, offset, offset + 1n))
    for (const record of records) if (record.offset === offset) return recordHash(record.value);
  return undefined;
}

async function unreadableOf(
  access: JournalAccess,
  partition: number,
  from: bigint,
  until: bigint,
): Promise<PartitionFacts['unreadable']> {
  const found: { offset: bigint; hash: string; why: string; maySkip: boolean }[] = [];
  for await (const records of access.read(partition, from, until))
    for (const record of records) {
      const { offset, value, unreadable } = record;
      // Its content is unknown, so no hash can name it.
      const fault = unreadable === undefined ? whyUnreadable(record) : { why: unreadable, maySkip: false };
      if (fault !== undefined) found.push({ offset, hash: recordHash(value), ...fault });
    }
  return found;
}

async function unlessMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  return asked.catch((error: unknown) => {
    if (error instanceof UnknownTopicError) return undefined;
    throw error;
  });
}
