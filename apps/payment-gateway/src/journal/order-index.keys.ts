import { JOURNAL_PARTITIONS, journalPartition } from '@tranche/order-journal';

/** Of the index: what has another shape is not read, the index is built anew from the journal. Raise it with OrderState and with the keys. */
const STATE_VERSION = 4;

/** Names of the index's keys in Redis: those of one journal partition share a hash tag. */
export class OrderIndexKeys {
  static readonly partitions = Array.from({ length: JOURNAL_PARTITIONS }, (_, partition) => partition);
  readonly prefix: string;

  /** @param isSigned a signed index is another one: instances without keys go on with theirs */
  constructor(topicPrefix: string, isSigned = false) {
    this.prefix = `${topicPrefix}gateway:${STATE_VERSION}${isSigned ? '-signed' : ''}:`;
  }

  of(partition: number, name: 'orders' | 'rebuild' | 'open' | 'doubt' | 'timers'): string {
    return `${this.prefix}{j${partition}}:${name}`;
  }

  /** Of all scripts, in their order. */
  all(partition: number): string[] {
    return (['orders', 'rebuild', 'open', 'doubt', 'timers'] as const).map((name) => this.of(partition, name));
  }

  html(orderKey: string, commandId: string): string {
    return `${this.prefix}{j${journalPartition(orderKey)}}:html:${orderKey.length}:${orderKey}:${commandId}`;
  }

  /** A claim, not part of the index: it outlives a rebuild. */
  lookUp(orderKey: string, name: string): string {
    return `${this.prefix}look-up:${orderKey.length}:${orderKey}:${name}`;
  }
}
