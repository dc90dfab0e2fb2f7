import { JOURNAL_PARTITIONS, journalPartition } from '../journal/journal-partition.js';

/** Version of the index's format: an index of another version is ignored and rebuilt from the journal. Raise it with OrderState and with the keys. */
const STATE_VERSION = 5;

const NAMES = ['orders', 'rebuild', 'open', 'doubt', 'timers', 'conflict'] as const;

/** Names of the index's keys in Redis. Keys of one journal partition share a hash tag. */
export class OrderIndexKeys {
  static readonly partitions = Array.from({ length: JOURNAL_PARTITIONS }, (_, partition) => partition);
  readonly prefix: string;

  /** @param isSigned a signed index has its own keys: instances without signing keys keep using theirs */
  constructor(topicPrefix: string, isSigned = false) {
    this.prefix = `${topicPrefix}gateway:${STATE_VERSION}${isSigned ? '-signed' : ''}:`;
  }

  of(partition: number, name: (typeof NAMES)[number]): string {
    return `${this.prefix}{j${partition}}:${name}`;
  }

  /** KEYS of every script, in the scripts' order. */
  all(partition: number): string[] {
    return NAMES.map((name) => this.of(partition, name));
  }

  html(orderKey: string, commandId: string): string {
    return `${this.prefix}{j${journalPartition(orderKey)}}:html:${orderKey.length}:${orderKey}:${commandId}`;
  }
}

/** Lua: counts the entries of an index, as its marker ends with them (`EntryCounts`). KEYS: `OrderIndexKeys.all`. */
export const INDEX_COUNTS = `
local function counts()
  return string.format('%d:%d:%d:%d:%d', redis.call('HLEN', KEYS[1]) - redis.call('HEXISTS', KEYS[1], 'marker'),
    redis.call('SCARD', KEYS[3]), redis.call('SCARD', KEYS[4]), redis.call('ZCARD', KEYS[5]), redis.call('SCARD', KEYS[6]))
end`;
