import { setMaxListeners } from 'node:events';
import { orderKey } from '@tranche/contracts';
import type { Log, Timing, TraceHeaders } from '@tranche/runtime';
import { EndWaits } from './end-waits.js';
import { OpenIntents } from './open-intents.js';
import { OrderCache } from './order-cache.js';
import { journalPartition } from './journal-partition.js';
import { type IntentVerdict, type OrderState, type RulesVersion, verdictOf } from '../state/order-state.js';
import { type Intent, type JournalRecord, recordHash } from '../state/records.js';
import { decodeRecord, recordWriter } from '../state/versions.js';
import { FollowedPartitions } from './followed-partitions.js';
import { JournalReplacedError, OrderUnreadableError } from './journal-faults.js';
import { adviceOnLoss, adviceOnRecord } from '../recovery/advice.js';
import type { JournalEntry, JournalLog, OrderIndex } from './ports.js';
import { StoppedPartitions } from './stopped-partitions.js';
import { unlessAborted } from './unless-aborted.js';

const INDEX_READS = 5;
/** Interval between checks of an index that is behind. Milliseconds. */
const LOOK_AGAIN_MS = 200;
const APPEND_RETRY_MS = { first: 100, max: 5_000 };

export interface JournalViewParts {
  log: JournalLog;
  index: Pick<OrderIndex, 'read' | 'openOrders'>;
  timing: Timing;
  logger: Log;
  /** Rules version under which this installation writes records (R9). */
  rulesVersion: RulesVersion;
  /** Called when a partition is stopped because its log is not the one that was read (R11). */
  onLogChanged?: (partition: number, why: string) => void;
}

/**
 * The journal as one process sees it. Each partition is followed from the record behind the index's marker, so that index and memory have no gap
 * (R7).
 */
export class JournalView {
  readonly openIntents = new OpenIntents();
  readonly #cache = new OrderCache();
  readonly #followed = new FollowedPartitions();
  readonly #stopped = new StoppedPartitions();
  readonly #ends = new EndWaits();
  /** Partitions whose log did not reach the index's marker when this process started. */
  readonly #short = new Set<number>();
  readonly #closing = new AbortController();
  readonly #written: ReturnType<typeof recordWriter>;
  /** Tokens of this process's INTENTs that the tail has not read yet. */
  readonly #unread = new Set<string>();
  /** Reads of the index in flight, per partition. */
  readonly #asked = new Map<number, ReturnType<OrderIndex['read']>>();

  constructor(private readonly parts: JournalViewParts) {
    setMaxListeners(0, this.#closing.signal);
    this.#written = recordWriter(parts.rulesVersion);
  }

  /** Reasons of all stopped partitions; undefined where none is stopped. */
  get stoppedBecause(): string | undefined {
    return this.stopped.size === 0 ? undefined : [...this.stopped.values()].join('; ');
  }

  /** Reason for which the order's partition is stopped; undefined where it is not. */
  stoppedFor(merchant: string, orderId: string): string | undefined {
    return this.stopped.get(journalPartition(orderKey(merchant, orderId)));
  }

  get stopped(): ReadonlyMap<number, string> {
    return this.#stopped.reasons;
  }

  /** Number of orders in memory: those that moved since the index last covered them. */
  get ordersInMemory(): number {
    return this.#cache.size;
  }

  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /**
   * Resolves with the offset per partition from which the journal must be fed to `take`.
   * @param hashes hashes of the records at the markers, where the index knows them: the tail starts there and compares
   */
  async begin(
    offsets: Map<number, { low: bigint; high: bigint }>,
    markers: Map<number, bigint>,
    hashes = new Map<number, string>(),
  ): Promise<Map<number, bigint>> {
    for (const [partition, ends] of offsets)
      this.#followed.begin(partition, ends, markers.get(partition), hashes.get(partition));
    const { known } = this;
    for (const [partition, { high }] of offsets) if ((known.get(partition) ?? 0n) > high) this.#short.add(partition);
    for (const partition of known.keys()) await this.#watchOpenIntents(partition);
    // An index that is older than the kept records may never be built, so the other partitions do not wait for it.
    for (const partition of markers.keys()) if (!known.has(partition)) void this.#watchOnceBuilt(partition);
    return this.#followed.beginnings;
  }

  /** Offset per partition below which the index holds everything. A journal that does not reach it, or starts behind it, is another one (R1). */
  get known(): Map<number, bigint> {
    return this.#followed.known;
  }

  /** The log reaches the index's marker, after a clean election. Until then no order is read: the log may have lost records. */
  reached(partition: number): void {
    this.#short.delete(partition);
  }

  /** Number of records until memory has reached the journal's end as of the beginning. */
  get behind(): number {
    return this.#followed.behind((partition) => this.#stopped.has(partition));
  }

  /**
   * Records, and their stored bytes without REDIRECTHTML, that memory holds because the index lacks them. Partitions that are stopped or wait for
   * their index do not count.
   */
  indexBehind(markers: ReadonlyMap<number, bigint>): { records: number; bytes: number } {
    const behind = this.#followed.indexBehind(markers, (partition) => this.#stopped.has(partition));
    const sum = { records: 0, bytes: 0 };
    for (const [partition, records] of behind) {
      sum.records += records;
      sum.bytes += this.#cache.bytes(partition);
    }
    return sum;
  }

  /** The tail begins here: later than `begin` said if retention deleted records meanwhile. */
  placed(partition: number, from: bigint): void {
    this.#followed.placed(partition, from);
  }

  /** Takes records of one partition from the tail, in offset order. */
  take(partition: number, entries: readonly JournalEntry[]): void {
    if (this.#stopped.has(partition)) return;
    const seenMs = this.parts.timing.monotonicMs();
    for (const { key, offset, value } of entries) {
      try {
        if (this.#followed.advance(partition, offset, () => recordHash(value)) === 'at-marker') continue;
        const record = decodeRecord(value);
        this.openIntents.see(record, seenMs);
        this.#cache.apply(key ?? '', offset, record, recordHash(value), value?.length ?? 0);
        if (record.record === 'INTENT') this.#unread.delete(record.token);
      } catch (error) {
        // Skipping this record would not help, because the whole log is another one.
        if (error instanceof JournalReplacedError) return this.stop(partition, error.message);
        return this.stop(
          partition,
          `${(error as Error).message}${adviceOnRecord(partition, { offset, value })}`,
          offset,
        );
      }
    }
    const next = this.#followed.next(partition);
    if (next !== undefined) this.#ends.reached(partition, next);
  }

  /**
   * Stops a partition: no order of it is read, nothing is granted, and waits for its records reject. `at`: offset of an unreadable record; without it
   * the log is another one.
   */
  stop(partition: number, why: string, offset?: bigint): void {
    if (offset === undefined) this.parts.onLogChanged?.(partition, why);
    this.#stop(partition, offset === undefined ? `${why}${adviceOnLoss(partition)}` : why, offset);
  }

  /** Stops a partition for a reason in this process and not in the log, so its projector may continue. */
  leave(partition: number, why: string): void {
    this.#stop(partition, why);
  }

  #stop(partition: number, why: string, offset?: bigint): void {
    const reason = this.#stopped.stop(partition, why, offset);
    if (reason === undefined) return;
    this.parts.logger.error({ partition }, reason);
    this.#cache.failWaiting((key) => journalPartition(key) === partition, new OrderUnreadableError(reason));
    this.#ends.fail(partition, new OrderUnreadableError(reason));
  }

  /** Must be called last: every wait for a record rejects. */
  close(): void {
    this.#closing.abort(new Error('the journal is closing'));
  }

  /** Returns the newest state of an order that this process knows. It may lag behind the log; therefore only the fold grants attempts (R3). */
  async read(merchant: string, orderId: string): Promise<OrderState> {
    const key = orderKey(merchant, orderId);
    const partition = journalPartition(key);
    for (let reads = 0; reads < INDEX_READS; reads++) {
      this.#stopped.refuse(partition);
      if (this.#short.has(partition))
        throw new OrderUnreadableError(`Journal partition ${partition} ends before what the index holds`);
      const known = this.#cache.find(key);
      if (known) return known;
      const { order, marker } = await this.parts.index.read(key);
      if (!this.#followed.has(partition)) throw new OrderUnreadableError('This process does not follow the journal');
      if (this.#followed.reaches(partition, marker)) return this.#cache.load(merchant, orderId, order, marker);
    }
    throw new OrderUnreadableError(`The index of journal partition ${partition} is behind what this process needs`);
  }

  /** Returns the order folded up to the log's end as of the call. An operation missing then had no acknowledged record before the call. */
  async readToEnd(merchant: string, orderId: string, signal: AbortSignal): Promise<OrderState> {
    const partition = journalPartition(orderKey(merchant, orderId));
    signal.throwIfAborted();
    const end = await unlessAborted(this.parts.log.end(partition), signal);
    this.#stopped.refuse(partition);
    const next = this.#followed.next(partition);
    if (next !== undefined && next < end) await this.#ends.until(partition, end, signal);
    return this.read(merchant, orderId);
  }

  /** Resolves when the order can be read again after the index was found behind. All waits for one partition share each read of the index. */
  async whenReadable(merchant: string, orderId: string, signal: AbortSignal): Promise<void> {
    const key = orderKey(merchant, orderId);
    const partition = journalPartition(key);
    for (;;) {
      await this.parts.timing.sleep(LOOK_AGAIN_MS, signal);
      if (this.#stopped.has(partition) || this.#cache.find(key)) return;
      if (this.#short.has(partition)) continue;
      const asked =
        this.#asked.get(partition) ?? this.parts.index.read(key).finally(() => this.#asked.delete(partition));
      this.#asked.set(partition, asked);
      const { marker } = await asked;
      if (this.#followed.reaches(partition, marker)) return;
    }
  }

  /** A log never assigns an offset twice. An offset below what was read means another log, so the partition is stopped (R11). */
  async append(record: JournalRecord, trace?: TraceHeaders): Promise<bigint> {
    const partition = journalPartition(orderKey(record.merchant, record.orderId));
    const readTo = this.#followed.next(partition) ?? 0n;
    const offset = await this.parts.log.append(this.#written(record), trace);
    if (offset < readTo)
      this.stop(partition, `a record was appended at offset ${offset}, and the log had been read to ${readTo} before`);
    return offset;
  }

  /** Appends a record and returns the order folded up to it. */
  async appendAndRead(record: JournalRecord, trace?: TraceHeaders): Promise<OrderState> {
    const offset = await this.append(record, trace);
    return this.waitForRecordAfter(record.merchant, record.orderId, offset - 1n);
  }

  /**
   * Appends an INTENT and reads the fold's verdict on it. Returns `lost` where a snapshot, which drops old verdicts, was folded before the verdict
   * was read. An order with an open operation gets no snapshot (R12), so the INTENT was not granted and nothing may be sent.
   *
   * @throws OrderUnreadableError where a record beyond the INTENT was read but the INTENT is not in that log: it was appended to another log than the
   * one folded before. The partition is stopped, because retries would append one INTENT after the other until one is granted wrongly (R11).
   */
  async appendIntent(intent: Intent, trace?: TraceHeaders): Promise<{ after: OrderState; verdict: IntentVerdict }> {
    const { merchant, orderId, token } = intent;
    this.#unread.add(token);
    try {
      const after = await this.appendAndRead(intent, trace);
      const verdict = verdictOf(after, token);
      if (verdict !== undefined) return { after, verdict };
      if (!this.#unread.has(token)) return { after, verdict: 'lost' };
    } finally {
      this.#unread.delete(token);
    }
    const partition = journalPartition(orderKey(merchant, orderId));
    this.stop(
      partition,
      'an INTENT of this process was appended and is not in the log that is read: the journal was replaced',
    );
    throw new OrderUnreadableError(this.stopped.get(partition) ?? '');
  }

  /** Retries until the journal has the record or is closed, then reads it back unless its partition is stopped. Duplicates have no effect. */
  async appendWithRetry(record: JournalRecord, trace?: TraceHeaders): Promise<OrderState> {
    const { merchant, orderId } = record;
    const offset = await this.#untilDone(record, () => this.append(record, trace));
    return this.#untilDone(
      record,
      () => this.waitForRecordAfter(merchant, orderId, offset - 1n),
      () => this.#stopped.has(journalPartition(orderKey(merchant, orderId))),
    );
  }

  async #untilDone<T>({ record, orderId }: JournalRecord, act: () => Promise<T>, isInVain = () => false): Promise<T> {
    for (let attempts = 0; ; attempts++) {
      try {
        return await act();
      } catch (error) {
        if (this.#closing.signal.aborted || isInVain()) throw error;
        this.parts.logger.warn(
          { err: error, orderId, attempts },
          `${record} could not be journaled and read back; trying again`,
        );
        await this.parts.timing.sleep(
          Math.min(APPEND_RETRY_MS.first * 2 ** attempts, APPEND_RETRY_MS.max),
          this.#closing.signal,
        );
      }
    }
  }

  /** Resolves once a record beyond `offset` was folded. Rejects when the signal aborts, the journal closes, or the partition is stopped. */
  async waitForRecordAfter(
    merchant: string,
    orderId: string,
    offset: bigint,
    signal: AbortSignal = this.#closing.signal,
  ): Promise<OrderState> {
    const key = orderKey(merchant, orderId);
    // Orders may leave memory between two turns of the event loop, so the wait must start in the turn in which the order was found.
    while (!this.#cache.find(key)) await this.read(merchant, orderId);
    // Orders of a stopped partition stay in memory, but get no further records.
    this.#stopped.refuse(journalPartition(key));
    return this.#cache.waitForRecordAfter(key, offset, signal);
  }

  /**
   * Drops orders that the index holds from memory. `from` is raised first, so that a read which began before is repeated. Where the index has no
   * marker, or an older one, the orders that it covered before are dropped too: they were loaded from an index that may be wrong. Orders of stopped
   * partitions are dropped, because they are not read any more.
   */
  forget(markers: Map<number, bigint>): void {
    this.#followed.indexCovers(markers);
    this.#cache.forget((key, lastOffset) => {
      const partition = journalPartition(key);
      return lastOffset < this.#followed.from(partition) || this.#stopped.has(partition);
    });
  }

  async #watchOnceBuilt(partition: number): Promise<void> {
    try {
      await this.#watchOpenIntents(partition);
    } catch (error) {
      if (!this.#closing.signal.aborted)
        this.parts.logger.warn({ err: error, partition }, 'Intents that were open before the start are not watched');
    }
  }

  /** Adds open INTENTs that are older than the tail's first record: maybe no other process is left that would report them. */
  async #watchOpenIntents(partition: number): Promise<void> {
    const open = await this.#untilReached(partition, () => this.parts.index.openOrders(partition));
    const seenMs = this.parts.timing.monotonicMs();
    for (const key of open?.orderKeys ?? []) {
      const found = await this.#untilReached(partition, () => this.parts.index.read(key));
      for (const { phase, commandId, attempt, token } of found?.order?.operations ?? []) {
        const { merchant, orderId } = found!.order!;
        if (phase === 'open' && token !== undefined)
          this.openIntents.add({ merchant, orderId, commandId, attempt, token, seenMs });
      }
    }
  }

  /** Reads from the index until it has no gap to memory. Undefined once the partition is stopped, because its index may never be built. */
  async #untilReached<T extends { marker?: bigint }>(partition: number, ask: () => Promise<T>): Promise<T | undefined> {
    for (;;) {
      const answer = await ask();
      if (this.#followed.reaches(partition, answer.marker)) return answer;
      if (this.#stopped.has(partition)) return undefined;
      await this.parts.timing.sleep(LOOK_AGAIN_MS, this.#closing.signal);
    }
  }
}
