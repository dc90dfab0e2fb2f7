import { committedOffsets, topicOffsets, UnknownTopicError, type GroupMember } from '@tranche/kafka';
import {
  healthOf,
  JOURNAL_PARTITIONS,
  recordHash,
  RecordJudge,
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
  const all = await Promise.all(
    Array.from({ length: JOURNAL_PARTITIONS }, (_, partition) =>
      factsOf(access, partition, ends?.get(partition), committed.get(partition)),
    ),
  );
  const partitions: PartitionStatus[] = [];
  // One after the other: the orders of one partition are in memory meanwhile.
  for (const known of all) {
    const facts = { ...known, unreadable: await unreadableOf(access, known, members.length === 0) };
    partitions.push({ ...facts, ...healthOf(facts) });
  }
  return { topic: journal, exists: ends !== undefined, members, partitions, skipped: access.recovery.skips };
}

export function exitCodeOf({ partitions }: JournalStatus): number {
  if (partitions.some(({ state }) => state === 'damaged')) return EXIT.partly;
  return partitions.some(({ state }) => state === 'unknown') ? EXIT.failed : EXIT.done;
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
  if (!isMarkerKept(facts)) return facts;
  const hashAtMarker = await hashAt(access, partition, facts.mark!.marker);
  if (hashAtMarker !== undefined) facts.hashAtMarker = hashAtMarker;
  return facts;
}

const isMarkerKept = ({ ends, mark }: PartitionFacts): boolean =>
  ends !== undefined && mark !== undefined && mark.marker >= ends.low && mark.marker < ends.high;

async function hashAt(access: JournalAccess, partition: number, offset: bigint): Promise<string | undefined> {
  for await (const records of access.read(partition, offset, offset + 1n))
    for (const record of records) if (record.offset === offset) return recordHash(record.value);
  return undefined;
}

/**
 * Finds the records at which a gateway would stop. It reads from behind the marker; without an index that fits it reads all.
 * @param isWhole the orders of these records are folded from their beginning, as they are in the index; while gateways run, they tell it themselves
 */
async function unreadableOf(
  access: JournalAccess,
  facts: PartitionFacts,
  isWhole: boolean,
): Promise<PartitionFacts['unreadable']> {
  const { partition, ends, mark } = facts;
  if (ends === undefined) return [];
  const isSound = isMarkerKept(facts) && healthOf(facts).state === 'healthy';
  const from = isSound ? mark!.marker + 1n : ends.low;
  const orders = new Set<string | null>();
  for await (const records of access.read(partition, from, ends.high)) for (const { key } of records) orders.add(key);
  if (orders.size === 0) return [];
  const judge = new RecordJudge();
  const found: { offset: bigint; hash: string; why: string; maySkip: boolean }[] = [];
  for await (const records of access.read(partition, isWhole ? ends.low : from, ends.high))
    for (const record of records) {
      const { key, offset, value, unreadable } = record;
      if (!orders.has(key)) continue;
      // Its content is unknown, so no hash can name it.
      const fault = unreadable === undefined ? judge.whyUnreadable(record) : { why: unreadable, maySkip: false };
      if (fault !== undefined && offset >= from) found.push({ offset, hash: recordHash(value), ...fault });
    }
  return found;
}

async function unlessMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  return asked.catch((error: unknown) => {
    if (error instanceof UnknownTopicError) return undefined;
    throw error;
  });
}
