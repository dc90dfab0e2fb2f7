import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { orderKey } from '@tranche/contracts';
import { RecordTooLargeError, RetryableError, type ConsumedRecord } from '@tranche/kafka';
import { decodeRecord, journalPartition, type JournalRecord, type OrderState } from '@tranche/order-journal';
import { backOffMs, Health, ServiceLogger } from '@tranche/service-kit';
import { Clock } from '../clock.js';
import { JournalTopic } from './journal-topic.producer.js';
import { OpenIntents } from './open-intents.js';
import { OrderBook } from './order-book.js';
import { OrderIndexStore } from './order-index.store.js';

/** How often orders that the index knows leave memory. Milliseconds. */
const FORGET_EVERY_MS = 5_000;
const CATCH_UP_LOOK_MS = 20;
const INDEX_LOOK_MS = 500;
/** The index may be this many records behind when the tail begins: they go into memory. */
const BEHIND_RECORDS = 50_000n;
const INDEX_READS = 5;

/** First offset that memory covers, and the first that was kept when this process started. */
interface Tailed {
  from: bigint;
  low: bigint;
  /** Offset of the record that the tail brings next. */
  next: bigint;
}

/** Where the journal is heard: log and health. */
@Injectable()
export class JournalEdges {
  constructor(
    readonly log: ServiceLogger,
    readonly health: Health,
  ) {}
}

/**
 * The journal as this process sees it: appends, and the newest state of any order. Each partition is followed from the record behind
 * the index's marker, so that index and memory together have no gap (R7).
 */
@Injectable()
export class Journal {
  readonly openIntents = new OpenIntents();
  readonly #book = new OrderBook();
  readonly #tailed = new Map<number, Tailed>();
  /** Partitions that hold a record which this release can't read, and why (R2). */
  readonly #stopped = new Map<number, string>();
  readonly #closing = new AbortController();
  #tail?: { stop(): Promise<void> };
  #forgetting?: NodeJS.Timeout;

  constructor(
    private readonly topic: JournalTopic,
    private readonly index: OrderIndexStore,
    private readonly clock: Clock,
    private readonly edges: JournalEdges,
  ) {
    setMaxListeners(0, this.#closing.signal);
    edges.health.addLiveness('journal', () => [...this.#stopped.values()][0]);
  }

  /** Resolves when memory has caught up with the journal as it was: before that, every verdict would come late. */
  async start(): Promise<void> {
    const offsets = await this.topic.offsets();
    const markers = await this.#indexBuilt(offsets);
    for (const [partition, { low, high }] of offsets) {
      const marker = markers.get(partition);
      if (marker !== undefined && marker >= high) {
        throw new Error(
          `The index is at ${marker} of journal partition ${partition}, which ends at ${high}: the journal was lost or replaced; a person must decide`,
        );
      }
      const from = marker === undefined ? low : marker + 1n;
      this.#tailed.set(partition, { from, low, next: from });
    }
    for (const key of await this.index.openOrders()) await this.#watchOpenIntentsOf(key);
    const from = new Map([...this.#tailed].map(([partition, tailed]) => [partition, tailed.from]));
    this.#tail = await this.topic.follow(from, (partition, records) => this.#take(partition, records));
    await this.#caughtUp(offsets);
    this.#forgetting = setInterval(() => void this.#forget(), FORGET_EVERY_MS);
  }

  /** Last of all: whoever still waits for a record is sent away. */
  async stop(): Promise<void> {
    clearInterval(this.#forgetting);
    this.#closing.abort(new Error('the journal is closing'));
    await this.#tail?.stop();
  }

  /** The newest state of an order that this process knows. It may lag, which is why only the fold grants (R3). */
  async read(merchant: string, orderId: string): Promise<OrderState> {
    const key = orderKey(merchant, orderId);
    const partition = journalPartition(key);
    for (let reads = 0; reads < INDEX_READS; reads++) {
      const stopped = this.#stopped.get(partition);
      if (stopped !== undefined) throw new RetryableError(stopped);
      const known = this.#book.find(key);
      if (known) return known;
      const { order, marker } = await this.index.read(key);
      const tailed = this.#tailed.get(partition) ?? { from: 0n, low: 0n };
      if ((marker ?? tailed.low - 1n) >= tailed.from - 1n) return this.#book.load(merchant, orderId, order);
    }
    throw new RetryableError(`The index of journal partition ${partition} is behind what this process needs`);
  }

  append(record: JournalRecord): Promise<bigint> {
    return this.topic.append(record);
  }

  /** Appends a record and reads the order back to it: the state holds the fold's word on this very record. */
  async appendAndRead(record: JournalRecord): Promise<OrderState> {
    const offset = await this.append(record);
    return this.past(record.merchant, record.orderId, offset - 1n);
  }

  /** For what must not be lost: tries until the journal has it or is closed. Twice in the journal is once in the fold. */
  async appendSurely(record: JournalRecord): Promise<OrderState> {
    for (let attempts = 1; ; attempts++) {
      try {
        return await this.appendAndRead(record);
      } catch (error) {
        if (this.#closing.signal.aborted) throw error;
        if (error instanceof RecordTooLargeError && 'answer' in record && record.answer.redirectHtml !== undefined) {
          return this.appendSurely(withoutHtml(record));
        }
        this.edges.log.warn({ err: error, orderId: record.orderId, attempts }, `${record.record} could not be journaled; trying again`);
        await delay(backOffMs(attempts), undefined, { signal: this.#closing.signal });
      }
    }
  }

  /** Resolves with the order's state once a record beyond `offset` was folded. Rejects when the signal or the end of the journal comes first. */
  async past(merchant: string, orderId: string, offset: bigint, signal: AbortSignal = this.#closing.signal): Promise<OrderState> {
    const key = orderKey(merchant, orderId);
    // Orders leave memory between two turns of the event loop: only what is there in this very turn can be waited for.
    while (!this.#book.find(key)) await this.read(merchant, orderId);
    return this.#book.past(key, offset, signal);
  }

  /** After Redis was lost the projector, started before, builds the index anew: memory alone could not hold a whole journal. */
  async #indexBuilt(offsets: Map<number, { low: bigint; high: bigint }>): Promise<Map<number, bigint>> {
    for (let looks = 0; ; looks++) {
      const markers = await this.index.markers();
      const behind = [...offsets].reduce(
        (records, [partition, { low, high }]) => records + high - ((markers.get(partition) ?? low - 1n) + 1n),
        0n,
      );
      if (behind <= BEHIND_RECORDS) return markers;
      if (looks % 10 === 0)
        this.edges.log.info({ behind: Number(behind) }, `The index is being built from the journal: ${behind} records to go`);
      await delay(INDEX_LOOK_MS, undefined, { signal: this.#closing.signal });
    }
  }

  async #caughtUp(offsets: Map<number, { high: bigint }>): Promise<void> {
    const behind = () =>
      [...offsets].reduce((records, [partition, { high }]) => {
        const next = this.#tailed.get(partition)?.next ?? high;
        return this.#stopped.has(partition) || next >= high ? records : records + (high - next);
      }, 0n);
    for (let looks = 1; behind() > 0n; looks++) {
      if (looks % 50 === 0) this.edges.log.info({ behind: Number(behind()) }, `Reading the journal: ${behind()} records to go`);
      await delay(CATCH_UP_LOOK_MS, undefined, { signal: this.#closing.signal });
    }
  }

  #take(partition: number, records: ConsumedRecord[]): void {
    if (this.#stopped.has(partition)) return;
    const tailed = this.#tailed.get(partition);
    const seenMs = this.clock.monotonicMs();
    for (const { key, offset, value } of records) {
      try {
        if (tailed) tailed.next = offset + 1n;
        const record = decodeRecord(value);
        this.openIntents.see(record, seenMs);
        this.#book.apply(key ?? '', offset, record);
      } catch (error) {
        const reason = `Journal partition ${partition} is stopped at offset ${offset}: ${(error as Error).message}`;
        this.#stopped.set(partition, reason);
        this.edges.log.error({ err: error }, reason);
        return;
      }
    }
  }

  async #watchOpenIntentsOf(key: string): Promise<void> {
    const { order } = await this.index.read(key);
    if (!order) return;
    const { merchant, orderId } = order;
    for (const { phase, commandId, attempt, token } of order.operations) {
      if (phase === 'open' && token !== undefined)
        this.openIntents.add({ merchant, orderId, commandId, attempt, token, seenMs: this.clock.monotonicMs() });
    }
  }

  /** Memory covers less once the index covers more. `from` moves first: a read that began before is then read again. */
  async #forget(): Promise<void> {
    try {
      const markers = await this.index.markers();
      for (const [partition, tailed] of this.#tailed) {
        const marker = markers.get(partition);
        if (marker !== undefined && marker >= tailed.from) tailed.from = marker + 1n;
      }
      this.#book.forget((key, lastOffset) => lastOffset <= (markers.get(journalPartition(key)) ?? -1n));
    } catch (error) {
      this.edges.log.warn({ err: error }, 'The index could not be asked for its markers');
    }
  }
}

/** A topic that takes less than it should: the outcome counts more than the page. */
function withoutHtml<T extends Extract<JournalRecord, { answer: object }>>(record: T): T {
  const { redirectHtml, ...answer } = record.answer;
  return { ...record, answer: { ...answer, redirectHtmlDropped: true } };
}
