import type { CloudEvent, PaymentEvent } from '@tranche/contracts';
import { silentLog } from '@tranche/runtime';
import {
  MarkerMovedError,
  type JournalEntry,
  type JournalReader,
  type OrderIndex,
  type Projection,
  type Rebuild,
} from '../src/journal/ports.js';
import type { RebuildProgress } from '../src/projection/index-rebuild.js';
import type { PartitionProjection } from '../src/projection/partition-projection.js';
import { Projector } from '../src/projection/projector.js';
import { isEmptyOrder, type OrderState } from '../src/state/order-state.js';
import { encodeRecord, type JournalRecord } from '../src/state/records.js';
import { RULES_VERSION } from '../src/state/versions.js';

export const inOrder = {
  rulesVersion: RULES_VERSION,
  merchant: 'shop-fr',
  orderId: 'o',
  at: '2026-03-01T10:00:00.000Z',
};
const terms = { operation: 'authorize', method: 'A', currency: 'EUR', amount: 100, contentHash: 'h' } as const;
export const intent: JournalRecord = {
  record: 'INTENT',
  ...inOrder,
  commandId: 'a',
  attempt: 1,
  token: 't',
  tag: 'x',
  ...terms,
};
export const redirect: JournalRecord = {
  ...{ record: 'OUTCOME', ...inOrder, commandId: 'a', attempt: 1, token: 't', result: 'redirect_required' },
  answer: { redirectHtml: 'PGE+' },
};
export const repeated: JournalRecord = { record: 'REPEATED', ...inOrder, commandId: 'a' };

export function recordsOf(first: bigint, ...records: JournalRecord[]): JournalEntry[] {
  return records.map((record, index) => ({
    key: `${record.merchant}/${record.orderId}`,
    offset: first + BigInt(index),
    value: encodeRecord(record),
    headers: { traceparent: '00-a-b-01' },
  }));
}

/** Redis in memory, with the marker's compare-and-set. It has partition 3 only. */
class IndexInMemory implements OrderIndex {
  marker: bigint | undefined;
  orders = new Map<string, OrderState>();
  html = new Map<string, string>();
  writesFail = false;
  /** Another process is rebuilding the index. */
  isRebuiltElsewhere = false;
  /** The marker at each write of a rebuild: none may exist before its end. */
  seen: (bigint | undefined)[] = [];
  #rebuild?: Rebuild;

  hash: string | undefined;

  markers = () => Promise.resolve(this.marker === undefined ? new Map<number, bigint>() : new Map([[3, this.marker]]));
  marks = () =>
    Promise.resolve(
      new Map(
        this.marker === undefined
          ? []
          : [[3, { marker: this.marker, ...(this.hash === undefined ? {} : { hash: this.hash }) }]],
      ),
    );
  readAll(_partition: number, marker: bigint, keys: string[]): Promise<(OrderState | undefined)[]> {
    if (marker !== this.marker) return Promise.reject(new MarkerMovedError('moved'));
    return Promise.resolve(keys.map((key) => this.orders.get(key)));
  }
  write({ from, to, orders }: Projection): Promise<void> {
    if (this.writesFail) return Promise.reject(new Error('Redis is full'));
    if (from !== this.marker) return Promise.reject(new MarkerMovedError('moved'));
    this.#put(orders);
    this.marker = to;
    return Promise.resolve();
  }
  /** Partitions whose marker was to be deleted unless it can be verified. */
  readonly dropped: number[] = [];
  /** Another process wrote the marker with other keys, so this process can't verify it. */
  hasUnverified = false;
  /** Number of calls that start a rebuild. */
  begun = 0;
  isUnverified = () => Promise.resolve(this.hasUnverified);
  dropUnverified(partition: number): Promise<void> {
    this.hasUnverified = false;
    this.dropped.push(partition);
    return Promise.resolve();
  }

  beginRebuild(_partition: number, marker: bigint | undefined): Promise<Rebuild | undefined> {
    this.begun++;
    if (this.isRebuiltElsewhere || this.hasUnverified || marker !== this.marker) return Promise.resolve(undefined);
    this.lose();
    const stillOurs = () =>
      this.#rebuild === rebuild ? Promise.resolve() : Promise.reject(new MarkerMovedError('taken over'));
    const rebuild: Rebuild = {
      readAll: async (keys) => (await stillOurs(), keys.map((key) => this.orders.get(key))),
      write: async (orders, pages) => {
        await stillOurs();
        this.seen.push(this.marker);
        this.#put(orders);
        for (const { commandId, html } of pages) this.html.set(commandId, html);
      },
      finish: async (to) => (await stillOurs(), void (this.marker = to)),
    };
    this.#rebuild = rebuild;
    return Promise.resolve(rebuild);
  }
  read = () => Promise.reject(new Error('not asked by a projector'));
  openOrders = () => Promise.resolve({ orderKeys: [] });
  redirectHtml = (_key: string, commandId: string) => Promise.resolve(this.html.get(commandId));
  lose(): void {
    this.marker = undefined;
    this.orders.clear();
    this.#rebuild = undefined;
  }
  #put(orders: OrderState[]): void {
    for (const order of orders) {
      const key = `${order.merchant}/${order.orderId}`;
      if (isEmptyOrder(order)) this.orders.delete(key);
      else this.orders.set(key, order);
    }
  }
}

/** A journal that holds these records from offset `first` on; `brought` is called before each record is returned. */
export function journalOf(
  records: JournalRecord[],
  brought: (offset: bigint) => void = () => undefined,
  end = 99n,
  first = 0n,
): JournalReader {
  return {
    firstKept: () => Promise.resolve(first),
    end: () => Promise.resolve(end),
    async *read(_partition, from, until) {
      for (const entry of recordsOf(first, ...records).filter(({ offset }) => offset >= from && offset < until)) {
        brought(entry.offset);
        yield await Promise.resolve([entry]);
      }
    },
  };
}

export function projection(settings: { journal?: JournalReader; nowMs?: number; epoch?: number } = {}) {
  const { journal = journalOf([]), nowMs = Date.parse(inOrder.at), epoch = 0 } = settings;
  const index = new IndexInMemory();
  const published: CloudEvent<PaymentEvent>[] = [];
  const rebuilt: RebuildProgress[] = [];
  const logged: string[] = [];
  const warned: string[] = [];
  const logger = {
    ...silentLog,
    error: (_fields: object, message: string) => void logged.push(message),
    warn: (_fields: object, message: string) => void warned.push(message),
  };
  const events = {
    acknowledged: () => {},
    publish(batch: CloudEvent<PaymentEvent>[]) {
      published.push(...batch);
      events.acknowledged();
      return Promise.resolve();
    },
  };
  const timing = {
    nowMs: () => nowMs,
    monotonicMs: () => 0,
    sleep: () => new Promise<void>((resolve) => setImmediate(resolve)),
  };
  const stopped: (string | undefined)[] = [];
  const log = {
    onRebuild: (step: RebuildProgress) => void rebuilt.push(step),
    onStopped: (_partition: number, why: string | undefined) => void stopped.push(why),
  };
  const projector = new Projector({ index, events, journal, timing, logger, epoch, ...log });
  let assigned: PartitionProjection;
  const assign = (signal = new AbortController().signal) => (assigned = projector.assign(3, signal));
  const startOffset = (committed: bigint | undefined, low: bigint) => assign().startOffset(committed, low);
  const project = (entries: JournalEntry[]) => assigned.project(entries);
  return { index, events, published, rebuilt, logged, warned, stopped, projector, assign, startOffset, project };
}
export const typesOf = (published: CloudEvent<PaymentEvent>[]) =>
  published.map(({ type }) => type.replace('payment.', ''));

export const orders = ['o-0', 'o-1', 'o-2', 'o-3', 'o-4'].map((orderId): JournalRecord => ({ ...intent, orderId }));
