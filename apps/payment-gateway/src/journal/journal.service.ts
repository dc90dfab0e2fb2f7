import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { TailBuffer } from '@tranche/kafka';
import { JournalCutError, JournalView, type JournalRecord, type OrderState } from '@tranche/order-journal';
import type { TraceHeaders } from '@tranche/runtime';
import { Health, Metrics, ServiceLogger } from '@tranche/service-kit';
import { Clock } from '../clock.js';
import { GatewayConfig } from '../gateway.config.js';
import { IndexWait } from './index-wait.js';
import { CommandGate } from './command-gate.service.js';
import { JournalTopic } from './journal-topic.producer.js';
import { ProjectorService } from './projector.service.js';
import { OrderIndexStore } from './order-index.store.js';

/** Interval at which orders that the index holds are dropped from memory. Milliseconds. */
const FORGET_EVERY_MS = 5_000;
const CATCH_UP_LOOK_MS = 20;
const INDEX_LOOK_MS = 500;
/** Maximum of records that memory holds because the index lacks them. Beyond it, the tail does not start, or no commands are taken. */
const BEHIND_RECORDS = 50_000;
/** The same limit in bytes of the kept records; in memory they take several times as much. */
const BEHIND_BYTES = 64 * 1024 * 1024;

/** Starts the tail behind the index's marker, and drops orders from memory once the index holds them. */
@Injectable()
export class Journal {
  readonly view: JournalView;
  #tail?: { stop(): Promise<void> };
  #forgetting?: NodeJS.Timeout;

  constructor(
    private readonly topic: JournalTopic,
    private readonly index: OrderIndexStore,
    private readonly clock: Clock,
    private readonly log: ServiceLogger,
    health: Health,
    metrics: Metrics,
    private readonly buffer: TailBuffer,
    config: GatewayConfig,
    private readonly commandGate: CommandGate,
    private readonly projection: ProjectorService,
  ) {
    this.view = new JournalView({
      log: topic,
      index,
      timing: clock,
      logger: log,
      rulesVersion: config.rulesVersion,
      onLogChanged: (partition, why) => projection.projector.stop(partition, why),
    });
    // Readiness, not liveness: a restart would stop at the same record, and the other partitions still work.
    health.addReadiness('journal', () => this.view.stoppedBecause);
    const { view } = this;
    metrics.gauge({
      name: 'tranche_orders_in_memory',
      help: 'Orders in memory that the index does not cover yet',
      collect() {
        this.set(view.ordersInMemory);
      },
    });
  }

  /** Resolves when memory has caught up with the journal's end as of the call. Before that, every command would wait. */
  async start(): Promise<void> {
    const marks = await this.#indexBuilt(await this.topic.offsets());
    const markers = new Map([...marks].map(([partition, { marker }]) => [partition, marker]));
    const hashes = new Map(
      [...marks].flatMap(([partition, { hash }]) => (hash === undefined ? [] : [[partition, hash] as const])),
    );
    // Read after the markers: other instances append and project meanwhile, so older ends would look like a truncated journal.
    const from = await this.view.begin(await this.topic.offsets(), markers, hashes);
    for (const [partition, offset] of from) this.buffer.begin(partition, offset);
    this.#tail = await this.topic.follow(from, {
      known: this.view.known,
      onPlaced: (partition, from) => this.view.placed(partition, from),
      onRecords: (partition, records) => {
        this.view.take(partition, records);
        this.buffer.add(partition, records);
      },
      onFault: (partition, fault) => this.view.stop(partition, fault),
      onUnverified: (partition, isUnverified) => {
        this.projection.projector.setUnverified(partition, isUnverified);
        if (!isUnverified) this.view.reached(partition);
      },
    });
    // A stop before this line did not know the tail yet, so it is stopped here.
    if (this.view.closing.aborted) await this.#tail.stop();
    for (let looks = 1; this.view.behind > 0; looks++) {
      if (looks % 50 === 0)
        this.log.info({ behind: this.view.behind }, `Reading the journal: ${this.view.behind} records to go`);
      await delay(CATCH_UP_LOOK_MS, undefined, { signal: this.view.closing });
    }
    this.view.closing.throwIfAborted();
    this.#forgetting = setInterval(() => void this.forgetIndexed(), FORGET_EVERY_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#forgetting);
    this.view.close();
    await this.#tail?.stop();
  }

  read(merchant: string, orderId: string): Promise<OrderState> {
    return this.view.read(merchant, orderId);
  }

  append(record: JournalRecord, trace?: TraceHeaders): Promise<bigint> {
    return this.view.append(record, trace);
  }

  appendAndRead(record: JournalRecord): Promise<OrderState> {
    return this.view.appendAndRead(record);
  }

  /**
   * Waits until the index is built, because memory could not hold a whole journal. A partition whose index does not get built is stopped, so that the
   * others need not wait.
   */
  async #indexBuilt(offsets: Map<number, { low: bigint; high: bigint }>): ReturnType<OrderIndexStore['marks']> {
    // Read after the offsets. The committed position only grows, so records between it and the first kept offset were deleted unpublished.
    const published = await this.projection.published();
    const remaining = new Map(offsets);
    const wait = new IndexWait(remaining, BEHIND_RECORDS);
    for (let looks = 0; ; looks++) {
      const marks = await this.index.marks();
      for (const [partition, { low }] of remaining) {
        const cut = cutAt(low, marks.get(partition)?.marker, published.get(partition));
        if (cut === undefined) continue;
        this.view.stop(partition, new JournalCutError(partition, cut, low).message);
        remaining.delete(partition);
      }
      const isStopped = (partition: number) => this.projection.stopped.has(partition);
      const { behind, left } = wait.look(marks, this.clock.monotonicMs(), isStopped);
      for (const [partition, why] of left) this.view.leave(partition, why);
      if (behind <= BEHIND_RECORDS) return marks;
      if (looks % 10 === 0)
        this.log.info({ behind: Number(behind) }, `The index is being built from the journal: ${behind} records to go`);
      await this.clock.sleep(INDEX_LOOK_MS, this.view.closing);
    }
  }

  /** Drops orders that the index holds from memory now, without waiting for the interval. */
  async forgetIndexed(): Promise<void> {
    try {
      const markers = await this.index.markers();
      this.view.forget(markers);
      const { records, bytes } = this.view.indexBehind(markers);
      const isTooFar = records > BEHIND_RECORDS || bytes > BEHIND_BYTES;
      const size = bytes > BEHIND_BYTES ? `, and ${bytes} bytes of them are in memory` : '';
      this.commandGate.report(
        'index',
        isTooFar ? `the index is ${records} records behind the journal${size}` : undefined,
      );
    } catch (error) {
      this.log.warn({ err: error }, 'The index could not be asked for its markers');
    }
  }
}

/** First record that was deleted before its events were published. Undefined where only the index is older than the kept records: it is rebuilt. */
function cutAt(low: bigint, marker: bigint | undefined, published: bigint | undefined): bigint | undefined {
  const known = [published, marker === undefined ? undefined : marker + 1n].filter((next) => next !== undefined);
  return known.length > 0 && known.every((next) => next < low) ? known.reduce(later) : undefined;
}

const later = (one: bigint, other: bigint): bigint => (one > other ? one : other);
