import type { JournalEntry, Mark } from '../journal/ports.js';
import { EntryUnreadableError } from '../journal/journal-faults.js';
import { foldStored, named, readEntry } from '../journal/record-fold.js';
import { toCloudEvent } from '../projection/published-event.js';
import type { OrderState } from '../state/order-state.js';

/** Facts about one journal partition in Kafka and Redis while no gateway runs. */
export interface PartitionFacts {
  partition: number;
  /** First offset kept and offset of the next record; absent where the topic does not exist. */
  ends?: { low: bigint; high: bigint };
  /** The index's last record; absent where the index is lost or incomplete. */
  mark?: Mark;
  /** True where the index has a marker that can't be verified with the keys at hand. */
  isIndexUnverified?: boolean;
  /** Offset behind the last record whose events were published. */
  committed?: bigint;
  /** Hash of the log's record at the marker; absent where the log holds none there. */
  hashAtMarker?: string;
  /** Records that would be read at the start and can't be. */
  unreadable: readonly (Unreadable & { offset: bigint; hash: string })[];
}

type DamageKind =
  | 'topic_missing'
  | 'ends_before_index'
  | 'ends_before_commit'
  | 'other_record_at_marker'
  | 'deleted_unread'
  | 'unreadable_record'
  | 'record_of_newer_release';

export interface Damage {
  kind: DamageKind;
  says: string;
  /** Advice, with the command where there is one. */
  next: string;
  offset?: string;
  hash?: string;
}

export interface PartitionHealth {
  state: 'healthy' | 'damaged' | 'unknown';
  damages: Damage[];
  /** Reason of `unknown`, and what to do. */
  unknown?: string;
}

const OF_A_LOST_LOG: readonly DamageKind[] = [
  'ends_before_index',
  'ends_before_commit',
  'other_record_at_marker',
  'deleted_unread',
];

/** True where the log lacks records that were read before: `tranche journal resume` is for these. */
export const isLogLost = ({ damages }: PartitionHealth): boolean =>
  damages.some(({ kind }) => OF_A_LOST_LOG.includes(kind));

/** Judges a partition as a gateway does that starts from it: what would stop it there is a damage (R1, R10, R11). */
export function healthOf(facts: PartitionFacts): PartitionHealth {
  const { partition, ends, isIndexUnverified = false } = facts;
  if (ends === undefined) return ofMissingTopic(facts);
  const lost = lossOf(facts, ends);
  const damages = [
    ...(lost === undefined ? [] : [{ ...lost, next: `restore the log of this partition, or: ${resumeCommand(partition)}` }]),
    ...facts.unreadable.map((record) => ofUnreadable(partition, record)),
  ]; // prettier-ignore
  if (damages.length > 0) return { state: 'damaged', damages };
  return isIndexUnverified ? { state: 'unknown', damages, unknown: UNVERIFIED } : { state: 'healthy', damages };
}

const UNVERIFIED =
  'the marker of its index can not be verified: give INDEX_HMAC_KEYS as the gateways have it; if it is the same, somebody else wrote into Redis';

const resumeCommand = (partition: number): string => `tranche journal resume --partition ${partition}`;

const skipCommand = (partition: number, offset: bigint, hash: string): string =>
  `tranche journal skip --partition ${partition} --offset ${offset} --hash ${hash}`;

function ofMissingTopic({ mark, committed }: PartitionFacts): PartitionHealth {
  if (mark === undefined && committed === undefined)
    return { state: 'unknown', damages: [], unknown: 'the topic does not exist, and nothing says that it ever did' };
  const says = `the topic does not exist, and ${mark ? `the index holds records up to ${mark.marker}` : `events were published up to ${committed}`}`;
  const next = 'restore the topic, or make it anew with its 12 partitions; then run `tranche journal status` again';
  return { state: 'damaged', damages: [{ kind: 'topic_missing', says, next }] };
}

function lossOf(
  { mark, committed, hashAtMarker }: PartitionFacts,
  { low, high }: { low: bigint; high: bigint },
): Pick<Damage, 'kind' | 'says'> | undefined {
  if (mark !== undefined && mark.marker >= high)
    return {
      kind: 'ends_before_index',
      says: `the log ends at ${high}, the index holds records up to ${mark.marker}: it was cut, made anew or restored from an older copy`,
    };
  if (committed !== undefined && committed > high)
    return {
      kind: 'ends_before_commit',
      says: `the log ends at ${high}, events were published up to ${committed}: it was cut, made anew or restored from an older copy, or a resume was interrupted`,
    };
  if (mark?.hash !== undefined && mark.marker >= low && mark.hash !== hashAtMarker)
    return {
      kind: 'other_record_at_marker',
      says: `the record at ${mark.marker} is another one than the index holds: the log was made anew or restored from an older copy, and has grown since`,
    };
  const known = [committed, mark && mark.marker + 1n].filter((next) => next !== undefined);
  if (known.length > 0 && known.every((next) => next < low))
    return {
      kind: 'deleted_unread',
      says: `the log begins at ${low}: records from ${known.reduce((one, other) => (one > other ? one : other))} on were deleted before their events were published`,
    };
  return undefined;
}

function ofUnreadable(partition: number, { offset, hash, why, maySkip }: PartitionFacts['unreadable'][number]): Damage {
  const found = { says: `the record at ${offset} can not be read: ${why}`, offset: String(offset), hash };
  return maySkip
    ? { kind: 'unreadable_record', ...found, next: skipCommand(partition, offset, hash) }
    : { kind: 'record_of_newer_release', ...found, next: 'start a release that reads it; it must not be skipped' };
}

/** End of the reason of a partition whose log is not the one that was read. */
export const adviceOnLoss = (partition: number): string =>
  `; restore the log, or stop every gateway and run \`${resumeCommand(partition)}\``;

/** End of the reason of a partition that stopped at a record. */
export function adviceOnRecord(partition: number, { entry: { offset, hash }, maySkip }: EntryUnreadableError): string {
  if (!maySkip) return '; start a release that reads it';
  return `; stop every gateway and run \`${skipCommand(partition, offset, hash)}\``;
}

export interface Unreadable {
  why: string;
  /** False where a newer release may have written the record: that release can read it. */
  maySkip: boolean;
}

/** Judges records as a gateway does that folds them and makes their events. It must be given every record of an order, from its first one on. */
export class RecordJudge {
  readonly #orders = new Map<string, OrderState>();

  whyUnreadable(entry: Pick<JournalEntry, 'key' | 'offset' | 'value'>): Unreadable | undefined {
    try {
      const stored = readEntry(entry);
      const { key } = stored;
      const { order, effects } = foldStored(this.#orders.get(key), stored);
      for (const { event } of effects) named(stored, () => toCloudEvent(order, event));
      this.#orders.set(key, order);
      return undefined;
    } catch (error) {
      if (!(error instanceof EntryUnreadableError)) throw error;
      return { why: error.message, maySkip: error.maySkip };
    }
  }
}
