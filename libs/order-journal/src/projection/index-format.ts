import { orderKey } from '@tranche/contracts';
import { JOURNAL_PARTITIONS, journalPartition } from '../journal/ports.js';
import type { OrderState } from '../state/order-state.js';

/** Version of the index's format: an index of another version is ignored and rebuilt from the journal. Raise it with OrderState and with the keys. */
const STATE_VERSION = 7;

const NAMES = [
  'orders',
  'rebuild',
  'open',
  'doubt',
  'timers',
  'conflict',
  'transactions',
  'frozen',
  'waiting',
] as const;

/** Sets of order keys, in the order in which an order's marks are written. */
export const INDEX_SETS = ['open', 'doubt', 'conflict', 'frozen', 'waiting'] as const satisfies readonly IndexKeyName[];
export type IndexSet = (typeof INDEX_SETS)[number];
type IndexKeyName = (typeof NAMES)[number];

/** Names of the index's keys in Redis. Keys of one journal partition share a hash tag. */
export class OrderIndexKeys {
  static readonly partitions = Array.from({ length: JOURNAL_PARTITIONS }, (_, partition) => partition);
  readonly prefix: string;

  /** @param isSigned a signed index has its own keys: instances without signing keys keep using theirs */
  constructor(topicPrefix: string, isSigned = false) {
    this.prefix = `${topicPrefix}gateway:${STATE_VERSION}${isSigned ? '-signed' : ''}:`;
  }

  of(partition: number, name: IndexKeyName): string {
    return `${this.prefix}{j${partition}}:${name}`;
  }

  /** Number of the key in `KEYS` of every script. */
  static numberOf(name: IndexKeyName): number {
    return NAMES.indexOf(name) + 1;
  }

  /** KEYS of every script, in the scripts' order. */
  all(partition: number): string[] {
    return NAMES.map((name) => this.of(partition, name));
  }

  html(orderKey: string, commandId: string): string {
    return `${this.prefix}{j${journalPartition(orderKey)}}:html:${orderKey.length}:${orderKey}:${commandId}`;
  }
}

/**
 * Lua: reads the marker, and counts the entries of an index as its marker ends with them (`EntryCounts`). It counts once: a script that writes keeps
 * `entries` right by what each of its commands changed. KEYS: `OrderIndexKeys.all`.
 */
export const INDEX_COUNTS = `
local marker = redis.call('HGET', KEYS[1], 'marker')
local entries
local function counts()
  entries = entries or {redis.call('HLEN', KEYS[1]) - (marker and 1 or 0), 0, redis.call('SCARD', KEYS[3]), redis.call('SCARD', KEYS[4]),
    redis.call('ZCARD', KEYS[5]), redis.call('SCARD', KEYS[6]), redis.call('HLEN', KEYS[7]), redis.call('SCARD', KEYS[8]), redis.call('SCARD', KEYS[9])}
  return string.format('%d:%d:%d:%d:%d:%d:%d:%d', entries[1], unpack(entries, 3))
end`;

/** Numbers of orders, open orders, orders in doubt, timers, orders with a conflict, TRANSACTIONIDs, frozen orders and those with a payment that waits in a partition's index, as `7:1:0:2:0:9:0:0`. */
export type EntryCounts = string;

export interface IndexMarker {
  /** Offset of the last journal record that the index holds. */
  offset: bigint;
  /** Unique to one rebuild of the partition. */
  generation: string;
  /** `recordHash` of the record at `offset`, where it is known. */
  hash?: string;
}

/** Formats the marker as stored: `OFFSET GENERATION HASH COUNTS`, with `-` for an unknown hash. */
export const markerText = ({ offset, generation, hash = '-' }: IndexMarker, counts?: EntryCounts): string =>
  [offset, generation, hash, ...(counts === undefined ? [] : [counts])].join(' ');

/**
 * Parses the marker of a complete index. Undefined where there is no marker, and where an entry is missing: an order that such an index lacks may
 * have been in it (R14).
 * @param found number of entries, counted in the same transaction that read `stored`
 */
export function wholeMarker(stored: string | null | undefined, found: EntryCounts): IndexMarker | undefined {
  const [offset, generation, hash, counts] = stored?.split(' ') ?? [];
  if (offset === undefined || generation === undefined || counts !== found) return undefined;
  return { offset: BigInt(offset), generation, ...(hash === undefined || hash === '-' ? {} : { hash }) };
}

/** Returns undefined where a stored value is not a state of this order. The fold refuses a rules version that this release does not know. */
export function asOrderState(value: unknown, key: string): OrderState | undefined {
  const order = value as Partial<OrderState> | null;
  if (typeof order !== 'object' || order === null) return undefined;
  const { merchant, orderId, lastOffset, operations, rulesVersion } = order;
  const isOurs = typeof merchant === 'string' && typeof orderId === 'string' && orderKey(merchant, orderId) === key;
  const isPlaced = typeof lastOffset === 'string' && /^\d+$/.test(lastOffset);
  const isJudged = rulesVersion === undefined || Number.isInteger(rulesVersion);
  return isOurs && isPlaced && isJudged && Array.isArray(operations) && operations.every(isOperation)
    ? (order as OrderState)
    : undefined;
}

function isOperation(value: unknown): boolean {
  const { commandId, phase, attempt } = (value ?? {}) as Record<string, unknown>;
  return typeof commandId === 'string' && typeof phase === 'string' && typeof attempt === 'number';
}

export function parseOrder(text: string, key: string): OrderState | undefined {
  try {
    return asOrderState(JSON.parse(text), key);
  } catch {
    return undefined;
  }
}
