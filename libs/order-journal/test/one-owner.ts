import { orderKey, type CloudEvent, type PaymentEvent } from '@tranche/contracts';
import { silentLog, type Log } from '@tranche/runtime';
import {
  MarkerMovedError,
  type JournalEntry,
  type OrderIndex,
  type Projection,
  type Rebuild,
  type RedirectPage,
} from '../src/journal/ports.js';
import { journalPartition } from '../src/journal/ports.js';
import { OwnedJournal } from '../src/partition/owned-journal.js';
import type { JournalFollower } from '../src/partition/owner-ports.js';
import type { PartitionOwner } from '../src/partition/partition-owner.js';
import { isEmptyOrder, type OrderState } from '../src/state/order-state.js';
import { SkipList } from '../src/recovery/recovery-record.js';
import { recordHash, type JournalRecord } from '../src/state/records.js';
import { RULES_VERSION } from '../src/state/versions.js';
import { inOrder, recordsOf } from './journal-records.js';

/** Redis in memory, with the marker's compare-and-set, for one partition. */
class IndexInMemory implements OrderIndex {
  marker: bigint | undefined;
  hash: string | undefined;
  readonly orders = new Map<string, OrderState>();
  readonly pages = new Map<string, string>();
  /** The marker at each write of a rebuild. */
  readonly seen: (bigint | undefined)[] = [];
  readonly dropped: number[] = [];
  isRebuiltElsewhere = false;
  #rebuild: Rebuild | undefined;

  constructor(private readonly did: (what: string) => Promise<void>) {}

  get #mark(): { marker?: bigint; hash?: string } {
    const { marker, hash } = this;
    return marker === undefined ? {} : { marker, ...(hash === undefined ? {} : { hash }) };
  }

  readTogether = (_partition: number, keys: string[]) =>
    Promise.resolve({ ...this.#mark, orders: keys.map((key) => this.orders.get(key)) });
  read = (key: string) => {
    const order = this.orders.get(key);
    return Promise.resolve({ ...this.#mark, ...(order && { order }) });
  };
  openOrders = () => Promise.resolve({ ...this.#mark, orderKeys: [] });
  readAll(_partition: number, marker: bigint, keys: string[]): Promise<(OrderState | undefined)[]> {
    if (marker !== this.marker) return Promise.reject(new MarkerMovedError('moved'));
    return Promise.resolve(keys.map((key) => this.orders.get(key)));
  }
  async write({ from, to, hash, orders, redirectHtml }: Projection): Promise<void> {
    await this.did(`index ${to}`);
    if (from !== this.marker) throw new MarkerMovedError('moved');
    this.#put(orders);
    this.#keepPages(redirectHtml);
    Object.assign(this, { marker: to, hash });
  }
  redirectHtml = (_key: string, commandId: string) => Promise.resolve(this.pages.get(commandId));
  dropUnverified = (partition: number) => Promise.resolve(void this.dropped.push(partition));

  beginRebuild(_partition: number, marker: bigint | undefined): Promise<Rebuild | undefined> {
    if (this.isRebuiltElsewhere || marker !== this.marker) return Promise.resolve(undefined);
    this.lose();
    const ours = () =>
      this.#rebuild === rebuild ? Promise.resolve() : Promise.reject(new MarkerMovedError('taken over'));
    const rebuild: Rebuild = {
      readAll: async (keys) => (await ours(), keys.map((key) => this.orders.get(key))),
      write: async (orders, pages) => {
        await ours();
        this.seen.push(this.marker);
        this.#put(orders);
        this.#keepPages(pages);
      },
      finish: async (to, hash) => {
        await ours();
        Object.assign(this, { marker: to, hash });
      },
    };
    this.#rebuild = rebuild;
    return Promise.resolve(rebuild);
  }

  lose(): void {
    this.marker = this.hash = this.#rebuild = undefined;
    this.orders.clear();
  }

  #keepPages(pages: readonly RedirectPage[]): void {
    for (const { commandId, html } of pages) this.pages.set(commandId, html);
  }

  #put(orders: OrderState[]): void {
    for (const order of orders) {
      const key = orderKey(order.merchant, order.orderId);
      if (isEmptyOrder(order)) this.orders.delete(key);
      else this.orders.set(key, order);
    }
  }
}

export interface OneOwnerSettings {
  /** The log, from offset `low` on. */
  records?: JournalRecord[];
  low?: bigint;
  /** Offsets behind the last record that have none, as an aborted transaction leaves them; `bring` tells of them when it has no record. */
  withoutRecords?: bigint;
  /** Offset behind the last record whose events were published. */
  committed?: bigint;
  /** The index holds the records up to this one. */
  marker?: bigint;
  /** Hash of the record there; absent: of the log's record. */
  hash?: string | undefined;
  epoch?: () => number;
  nowMs?: number;
  monotonicMs?: () => number;
  /** Called before each record of a rebuild is read; may wait. */
  onRead?: () => Promise<void>;
  /** Called before a record is appended; may reject. */
  onAppend?: () => Promise<void>;
  assertCurrent?: () => Promise<void>;
  /** Key of every record, where it is not the one of the record's own order. */
  key?: string;
  skipped?: SkipList;
  /** Called before events are published and before the index is written; may reject or wait. */
  did?: (what: string) => Promise<void> | void;
}

export const PARTITION = journalPartition(orderKey(inOrder.merchant, inOrder.orderId));

/** One owner of one partition, and everything around it in memory. Its reader brings records as soon as they are in the log. */
export class OneOwner {
  readonly log: JournalEntry[];
  low: bigint;
  readonly index: IndexInMemory;
  readonly published: CloudEvent<PaymentEvent>[] = [];
  /** Steps of the owner in order: `events N` (their number), `index OFFSET`, `commit OFFSET`, `mismatch FIELDS` of a snapshot. */
  readonly steps: string[] = [];
  /** Levels of what was logged that a person should read. */
  readonly levels: string[] = [];
  /** All that was logged. */
  readonly said: { facts: unknown; message: string | undefined }[] = [];
  readonly journal: OwnedJournal;
  readonly owner: PartitionOwner;
  /** While true, its reader brings nothing. */
  isReaderLate = false;
  /** Its reader brings at most this many records. */
  readsAtMost = Infinity;
  /** Records of appends are acknowledged and go to another log. */
  isReplaced = false;
  /** Number of placements that began to read. */
  follows = 0;
  /** Called after each request for the log's bounds. */
  onBounds: () => void = () => undefined;
  /** Called once when reading begins. */
  onFollow: () => void = () => undefined;
  readonly #withoutRecords: bigint;
  readonly #onRead: () => Promise<void>;
  readonly #entryOf: (offset: bigint, record: JournalRecord) => JournalEntry;
  #read:
    | {
        next: bigint;
        take: (entries: JournalEntry[], next: bigint) => void;
        onFault: (fault: string, isCut: boolean) => void;
      }
    | undefined;

  constructor({
    records = [],
    low = 0n,
    withoutRecords = 0n,
    committed,
    marker,
    epoch,
    nowMs,
    monotonicMs = () => (this.#nowMs += 2_500),
    onRead = () => Promise.resolve(),
    onAppend,
    did,
    assertCurrent,
    skipped = new SkipList(),
    ...rest
  }: OneOwnerSettings = {}) {
    this.#entryOf = (offset, record) => {
      const [entry] = recordsOf(offset, record);
      return skipped.substitute({ ...entry!, key: rest.key ?? entry!.key });
    };
    this.#onRead = onRead;
    this.log = records.map((record, at) => this.#entryOf(low + BigInt(at), record));
    this.low = low;
    this.#withoutRecords = withoutRecords;
    const around = async (what: string) => {
      await did?.(what);
      this.steps.push(what);
    };
    this.index = new IndexInMemory(around);
    const hash = 'hash' in rest ? rest.hash : this.#at(marker ?? -1n)?.value;
    if (marker !== undefined)
      Object.assign(this.index, { marker, hash: Buffer.isBuffer(hash) ? recordHash(hash) : hash });
    this.journal = new OwnedJournal({
      index: this.index,
      follower: this.#follower,
      events: {
        publish: async (events) => {
          await around(`events ${events.length}`);
          this.published.push(...events);
        },
      },
      journal: {
        firstKept: () => Promise.resolve(this.low),
        read: (_partition, from, until) => this.#range(from, until),
      },
      bounds: () => {
        const bounds = { low: this.low, high: this.high };
        this.onBounds();
        return Promise.resolve(bounds);
      },
      ...(assertCurrent === undefined ? {} : { assertCurrent }),
      onSnapshotMismatch: ({ fields }) => this.steps.push(`mismatch ${fields.join(' ')}`),
      log: {
        append: async (record) => {
          if (onAppend) await onAppend();
          return this.append(record);
        },
        end: (partition) => Promise.resolve(partition === PARTITION ? this.high : 0n),
      },
      timing: {
        nowMs: () => nowMs ?? Date.parse(inOrder.at),
        monotonicMs,
        sleep: (_ms, signal) =>
          new Promise((resolve, reject) =>
            setImmediate(() => (signal?.aborted ? reject(signal.reason as Error) : resolve())),
          ),
      },
      ...{ logger: this.#logger, rulesVersion: RULES_VERSION, ...(epoch === undefined ? {} : { epoch }) },
    });
    this.owner = this.journal.own(PARTITION);
    this.assign(committed);
  }

  /** Kafka assigns the partition to this process, once more after `owner.end()`. */
  assign(committed: bigint | undefined): void {
    void this.journal.own(PARTITION).run(committed, () => this.steps.push(`commit ${this.owner.published}`));
  }

  get #logger(): Log {
    const say = (level?: string) => (facts: unknown, message?: string) => {
      if (level !== undefined) this.levels.push(level);
      this.said.push({ facts, message });
    };
    return { ...silentLog, info: say(), warn: say('warn'), error: say('error') };
  }

  #nowMs = 0;

  get high(): bigint {
    return (this.log.at(-1)?.offset ?? this.low - 1n) + 1n + this.#withoutRecords;
  }

  append(record: JournalRecord): bigint {
    const offset = this.high;
    if (!this.isReplaced) this.log.push(this.#entryOf(offset, record));
    void this.bring();
    return offset;
  }

  /** Retention deletes the records below `low`, of which the reader has not read all. */
  cut(low: bigint): void {
    this.low = low;
    this.log.splice(0, this.log.length, ...this.log.filter(({ offset }) => offset >= low));
    this.#read?.onFault(`the records before ${low} were deleted before they were read`, true);
  }

  /** Resolves when nothing of what was begun has anything more to do. */
  async settled(turns = 60): Promise<this> {
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
    return this;
  }

  async bring(): Promise<void> {
    await Promise.resolve();
    const read = this.#read;
    if (read === undefined || this.isReaderLate) return;
    const entries = this.log.slice(0, this.readsAtMost).filter(({ offset }) => offset >= read.next);
    const last = entries.at(-1);
    if (last === undefined && this.#withoutRecords === 0n) return;
    read.next = last === undefined ? this.high : last.offset + 1n;
    read.take(entries, read.next);
  }

  #at(offset: bigint): JournalEntry | undefined {
    return this.log.find((entry) => entry.offset === offset);
  }

  async *#range(from: bigint, until: bigint): AsyncGenerator<JournalEntry[]> {
    for (const entry of this.log) {
      if (entry.offset < from || entry.offset >= until) continue;
      await this.#onRead();
      yield [entry];
    }
  }

  get #follower(): JournalFollower {
    return {
      follow: (_partition, { from, onRecords, onFault }) => {
        this.follows++;
        this.onFollow();
        this.onFollow = () => undefined;
        this.#read = { next: from, take: onRecords, onFault };
        void this.bring();
      },
      unfollow: () => void (this.#read = undefined),
      hold: () => undefined,
      goOn: () => undefined,
    };
  }
}
