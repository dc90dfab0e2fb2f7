import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { TailBuffer } from '@tranche/kafka';
import {
  JournalCutError,
  JournalView,
  type JournalRecord,
  type OrderState,
  type RulesVersion,
} from '@tranche/order-journal';
import type { TraceHeaders } from '@tranche/runtime';
import { Health, Metrics, ServiceLogger } from '@tranche/service-kit';
import { Clock } from '../clock.js';
import { GatewayConfig } from '../gateway.config.js';
import { IndexWait } from './index-wait.js';
import { Intake } from './intake.service.js';
import { JournalTopic } from './journal-topic.producer.js';
import { ProjectorService } from './projector.service.js';
import { OrderIndexStore } from './order-index.store.js';

/** How often orders that the index knows leave memory. Milliseconds. */
const FORGET_EVERY_MS = 5_000;
const CATCH_UP_LOOK_MS = 20;
const INDEX_LOOK_MS = 500;
/** The index may be this many records behind: they are in memory. Farther behind, the tail does not begin, and later no commands are taken. */
const BEHIND_RECORDS = 50_000;
/** The same by size, of what is kept of the records: in memory it takes some times as much. */
const BEHIND_BYTES = 64 * 1024 * 1024;

/**
 * Keeps this process's view of the journal fed, and its projector: starts the tail behind the index's marker, and lets go of what the index
 * knows.
 */
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
    private readonly intake: Intake,
    private readonly projection: ProjectorService,
  ) {
    this.view = new JournalView({
      log: topic,
      index,
      timing: clock,
      logger: log,
      rulesVersion: config.rulesVersion as RulesVersion,
      onLogChanged: (partition, why) => projection.projector.stop(partition, why),
    });
    // Not liveness: a restart would stop at the same record, and the other partitions go on.
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

  /** Resolves when memory has caught up with the journal as it was: before that, every verdict would come late. */
  async start(): Promise<void> {
    const marks = await this.#indexBuilt(await this.topic.offsets());
    const markers = new Map([...marks].map(([partition, { marker }]) => [partition, marker]));
    const hashes = new Map(
      [...marks].flatMap(([partition, { hash }]) => (hash === undefined ? [] : [[partition, hash] as const])),
    );
    // Others append and project meanwhile: ends that were read before the markers would look like a journal that was lost.
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
      onUnsure: (partition, isUnsure) => {
        this.projection.projector.unsure(partition, isUnsure);
        if (!isUnsure) this.view.reached(partition);
      },
    });
    // The stop came too early to know it.
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
   * After Redis was lost the projector, started before, builds the index anew: memory alone could not hold a whole journal. A partition of
   * which no index is built is stopped, whichever instance projects it: the others do not wait for it.
   */
  async #indexBuilt(offsets: Map<number, { low: bigint; high: bigint }>): ReturnType<OrderIndexStore['marks']> {
    // Asked after the offsets: it only grows, so what it lacks of them was deleted unpublished.
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

  /** What the index covers leaves memory, at once instead of within some seconds. */
  async forgetIndexed(): Promise<void> {
    try {
      const markers = await this.index.markers();
      this.view.forget(markers);
      const { records, bytes } = this.view.indexBehind(markers);
      const isTooFar = records > BEHIND_RECORDS || bytes > BEHIND_BYTES;
      const size = bytes > BEHIND_BYTES ? `, and ${bytes} bytes of them are in memory` : '';
      this.intake.report('index', isTooFar ? `the index is ${records} records behind the journal${size}` : undefined);
    } catch (error) {
      this.log.warn({ err: error }, 'The index could not be asked for its markers');
    }
  }
}

/**
 * First record of those that were deleted before their events were published, as the partition's projector finds it. An index that is older than
 * that counts: it is restored from what is kept.
 */
function cutAt(low: bigint, marker: bigint | undefined, published: bigint | undefined): bigint | undefined {
  const known = [published, marker === undefined ? undefined : marker + 1n].filter((next) => next !== undefined);
  return known.length > 0 && known.every((next) => next < low) ? known.reduce(later) : undefined;
}

const later = (one: bigint, other: bigint): bigint => (one > other ? one : other);
