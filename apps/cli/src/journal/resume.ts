import { randomInt, randomUUID } from 'node:crypto';
import { COMMAND_TOPICS, commandIdTimeMs, decodeCloudEvent, orderKey, TOPICS } from '@tranche/contracts';
import { commitFor, committedOffsets, topicOffsets, UnknownTopicError } from '@tranche/kafka';
import {
  CLOCKS_APART_MS,
  commandHash,
  encodeRecord,
  isLogLost,
  journalPartition,
  recordsAfterLoss,
  recordWriter,
  type Resumed,
  type TwoPeople,
} from '@tranche/order-journal';
import { RefusedError } from '../exit.js';
import { audited } from './audited.js';
import type { JournalAccess } from './journal-access.js';
import type { JournalStatus, PartitionStatus } from './journal-status.js';
import { runningText } from './status-text.js';

/** Commit that no log reaches: a gateway that starts while a resume is under way, or after an interrupted one, stops the partition. */
const BEYOND_EVERY_LOG = 1n << 62n;
/** Keeps a record of `payments.decisions.v1` far below its limit of 1 MiB. */
const COMMANDS_PER_RECORD = 20_000;

const NOTHING = { low: 0n, high: 0n };
const JSON_CONTENT = { 'content-type': 'application/json' };

type Bounds = ReadonlyMap<number, { low: bigint; high: bigint }>;

/**
 * Returns the partitions to resume: those asked for, or all whose log is lost.
 * @throws RefusedError naming everything that is in the way
 */
export function resumable(status: JournalStatus, asked: readonly number[]): PartitionStatus[] {
  assertNoMembers(status.members);
  if (!status.exists)
    throw new RefusedError(`${status.topic} does not exist: restore it, or make it anew with its 12 partitions`);
  const chosen = status.partitions.filter((one) =>
    asked.length === 0 ? isLogLost(one) : asked.includes(one.partition),
  );
  if (chosen.length === 0) throw new RefusedError('no partition has lost records: there is nothing to resume');
  const faults = chosen.flatMap((one) => [
    ...(isLogLost(one) ? [] : [`partition ${one.partition} has lost no records that were read: there is nothing to resume`]),
    ...(one.isIndexUnverified === true ? [`partition ${one.partition}: INDEX_HMAC_KEYS is not that of its index`] : []),
    ...one.damages.filter(({ offset }) => offset !== undefined).map(({ says, next }) => `partition ${one.partition}: ${says}; first: ${next}`),
  ]); // prettier-ignore
  if (faults.length > 0) throw new RefusedError(faults.join('\n'));
  return chosen;
}

export function assertNoMembers(members: JournalStatus['members']): void {
  if (members.length > 0) throw new RefusedError(`stop every gateway first: ${runningText(members)}`);
}

/** @param notifications what the topic of notifications keeps, by partition */
export const resumePlan = (chosen: readonly PartitionStatus[], notifications: Bounds): string =>
  [
    ...chosen.map(
      ({ partition, ends, damages }) =>
        `partition ${partition} goes on with ${keptOf(ends!)} (${damages.map(({ says }) => says).join('; ')})`,
    ),
    'Their index is dropped and built anew, and the events of these records are published again under their ids.',
    `Their notifications are read again, ${chosen.map(({ partition }) => countOf(notifications.get(partition))).join(' + ')} records: all that their topic keeps. Those whose order is lost too are published as payment.operation.external.`,
    'Operations that are under way, or between two attempts, become in_doubt. Commands made before now that these records do not know become dead letters.',
    'This can not be taken back.',
  ].join('\n');

const countOf = ({ low, high }: { low: bigint; high: bigint } = NOTHING): bigint => high - low;

const keptOf = ({ low, high }: { low: bigint; high: bigint }): string =>
  low === high ? 'no records' : `the records ${low} to ${high - 1n}`;

/**
 * Resumes partitions with the records that are kept (R11). Every step may be repeated: after an interruption the partitions stay stopped until this
 * was run to its end. docs/decisions/0121.
 */
export async function resume(access: JournalAccess, partitions: readonly number[], people: TwoPeople): Promise<void> {
  await assertClocksAgree(access);
  const id = randomUUID();
  const abouts = partitions.map((partition) => ({ action: 'partition.resume', proposal: id, partition }) as const);
  const change = async () => {
    const commands = await commandsOf(access, new Set(partitions), Date.now());
    const own = BEYOND_EVERY_LOG + BigInt(randomInt(2 ** 40));
    await commit(access, partitions, () => own);
    const at = await laterTime(access);
    await assertAlone(access, partitions, own);
    await write(access, { record: 'resumed', id, at, partitions: [...partitions], ...people }, commands);
    for (const partition of partitions) {
      await assertAlone(access, partitions, own);
      await doubtLostAttempts(access, partition);
    }
    for (const partition of partitions) {
      await assertAlone(access, partitions, own);
      await access.index.drop(partition);
    }
    await assertAlone(access, partitions, own);
    await readNotificationsAgain(access, partitions);
    await assertAlone(access, partitions, own);
    const ends = await topicOffsets(access.client, access.journal);
    await commit(access, partitions, (partition) => ends.get(partition)!.low);
  };
  try {
    await audited(access, abouts, people, change);
  } catch (cause) {
    const why = (cause as Error).message;
    throw new RefusedError(
      `the resume was not completed: ${why}\nRun it again: until then its partitions stay stopped`,
    );
  }
}

/** A run whose terminal was lost may still go on. Its successor's commit ends it, before it changes what running gateways use. */
async function assertAlone(access: JournalAccess, partitions: readonly number[], own: bigint): Promise<void> {
  assertNoMembers(await access.members());
  const committed = await committedOffsets(access.client, access.gatewayGroup, access.journal);
  if (partitions.some((partition) => committed.get(partition) !== own))
    throw new RefusedError('another run of `tranche journal resume` has taken over');
}

const commit = (access: JournalAccess, partitions: readonly number[], offsetOf: (partition: number) => bigint) => {
  const offsets = partitions.map((partition) => ({ partition, offset: offsetOf(partition) }));
  return commitFor(access.client, access.gatewayGroup, access.journal, ...offsets);
};

/** The lost records may include evidence, and its notifications were committed. Evidence counts once, so all that are kept may be read again. */
async function readNotificationsAgain(access: JournalAccess, partitions: readonly number[]): Promise<void> {
  const bounds = await keptNotifications(access);
  // The partitions of both topics are those of the same keys.
  const offsets = partitions.flatMap((partition) => {
    const kept = bounds.get(partition);
    return kept === undefined ? [] : [{ partition, offset: kept.low }];
  });
  if (offsets.length > 0)
    await commitFor(access.client, access.notificationsGroup, access.topic(TOPICS.notifications), ...offsets);
}

export const keptNotifications = (access: JournalAccess): Promise<Bounds> =>
  boundsOf(access, access.topic(TOPICS.notifications));

/** Empty where there is no such topic. */
const boundsOf = (access: JournalAccess, topic: string): Promise<Bounds> =>
  topicOffsets(access.client, topic).catch((error: unknown) => {
    if (error instanceof UnknownTopicError) return new Map<number, never>();
    throw error;
  });

async function assertClocksAgree(access: JournalAccess): Promise<void> {
  const apartMs = Math.abs((await access.redisTimeMs()) - Date.now());
  if (apartMs > CLOCKS_APART_MS)
    throw new RefusedError(`the clocks of this machine and of Redis are ${Math.round(apartMs / 1000)} s apart: correct them`); // prettier-ignore
}

/** The later of both clocks: a command that counts as older than it is becomes a dead letter, one that counts as newer may be executed twice. */
const laterTime = async (access: JournalAccess): Promise<string> =>
  new Date(Math.ceil(Math.max(await access.redisTimeMs(), Date.now()))).toISOString();

/**
 * Hashes of the commands of these partitions that the command topics hold and whose id does not carry an earlier time: a repeat of such a command with
 * a new `ce_time` is known only by its id.
 */
async function commandsOf(access: JournalAccess, partitions: ReadonlySet<number>, nowMs: number): Promise<string[]> {
  const found = new Set<string>();
  for (const definition of Object.values(COMMAND_TOPICS)) {
    const topic = access.topic(definition);
    const bounds = await boundsOf(access, topic);
    const reader = access.reader(topic);
    for (const [partition, { low, high }] of bounds)
      for await (const records of reader.read(partition, low, high))
        for (const { key, value, headers } of records) {
          if (key === null || !partitions.has(journalPartition(key))) continue;
          const commandId = decodeCloudEvent({ value, headers }).event?.id;
          if (commandId === undefined || (commandIdTimeMs(commandId) ?? nowMs) < nowMs) continue;
          found.add(commandHash(key, commandId));
        }
  }
  return [...found];
}

async function write(access: JournalAccess, resumed: Omit<Resumed, 'commands'>, commands: readonly string[]): Promise<void> {
  for (let from = 0; from === 0 || from < commands.length; from += COMMANDS_PER_RECORD) {
    const record: Resumed = { ...resumed, commands: commands.slice(from, from + COMMANDS_PER_RECORD) };
    await access.producer.send({
      topic: access.topic(TOPICS.decisions), partition: 0, headers: JSON_CONTENT,
      // A key of its own: compaction must keep every record.
      key: `${resumed.id}/${randomUUID()}`, value: Buffer.from(JSON.stringify(record)),
    });
  }
} // prettier-ignore

/** The lost records may include the result of an operation that the kept ones show under way, or the next attempt of one between two attempts. */
async function doubtLostAttempts(access: JournalAccess, partition: number): Promise<void> {
  const { low, high } = (await topicOffsets(access.client, access.journal)).get(partition)!;
  const seal = recordWriter(access.config.rulesVersion);
  const written = { at: await laterTime(access), newToken: randomUUID };
  for (const record of await recordsAfterLoss(access, { partition, from: low, until: high }, written))
    await access.producer.send({
      topic: access.journal,
      partition,
      headers: JSON_CONTENT,
      key: orderKey(record.merchant, record.orderId),
      value: encodeRecord(seal(record)),
    });
}
