import { Injectable } from '@nestjs/common';
import { orderKey, TOPICS } from '@tranche/contracts';
import { LogFollower, type KafkaClient } from '@tranche/kafka';
import { InjectKafkaClient } from '@tranche/kafka/nest';
import {
  emptyOrder,
  journalPartition,
  OrderUnreadableError,
  OwnedJournal,
  type JournalFollower,
  type JournalRecord,
  type OrderState,
} from '@tranche/order-journal';
import type { TraceHeaders } from '@tranche/runtime';
import { Health, Metrics, ServiceLogger } from '@tranche/service-kit';
import { GatewayConfig } from '../gateway.config.js';
import { OrderIndexStore } from './order-index.store.js';
import { OwnerPortsService } from './owner-ports.service.js';
import { Recovery } from './recovery.service.js';

/** Interval at which orders that the index holds are dropped from memory. Milliseconds. */
const FORGET_EVERY_MS = 5_000;
/** Interval at which the index is asked for a record of a partition that another instance owns. Milliseconds. */
const LOOK_AGAIN_MS = 50;
/** Maximum wait until the owner of a record's partition has folded it. Milliseconds. */
const JUDGED_WITHIN_MS = 5_000;

/** An order with all records of its partition up to `offset`. */
export interface OrderAsOf {
  order: OrderState;
  partition: number;
  offset: bigint;
}

/** The journal as this instance sees it: the partitions that it owns from memory, the others from the index. */
@Injectable()
export class Journal {
  readonly view: OwnedJournal;
  readonly #reader: LogFollower;
  #forgetting?: NodeJS.Timeout;

  constructor(
    config: GatewayConfig,
    @InjectKafkaClient() client: KafkaClient,
    private readonly recovery: Recovery,
    private readonly ports: OwnerPortsService,
    private readonly index: OrderIndexStore,
    private readonly log: ServiceLogger,
    health: Health,
    metrics: Metrics,
  ) {
    const { kafkaTopicPrefix: topicPrefix } = config;
    this.#reader = new LogFollower({
      client,
      topicPrefix,
      topic: TOPICS.journal.name,
      log,
      health,
      metrics: metrics.registry,
    });
    this.view = new OwnedJournal({ ...this.ports.parts, follower: this.#follower });
    // Readiness, not liveness: a restart would stop at the same record, and the other partitions still work.
    health.addReadiness('journal', () => this.notReadyBecause);
    const { view } = this;
    metrics.gauge({
      name: 'tranche_orders_in_memory',
      help: 'Orders in memory that the index does not cover yet',
      collect() {
        this.set(view.owners.reduce((sum, { backlog }) => sum + backlog.orders, 0));
      },
    });
  }

  get notReadyBecause(): string | undefined {
    const { stopped, owners } = this.view;
    if (stopped.size > 0) return [...stopped.values()].join('; ');
    const places = owners.filter(({ state }) => state === 'place' || state === 'catch_up');
    if (places.length === 0) return undefined;
    return `journal partitions ${places.map(({ partition }) => partition).join(', ')} are read up to their ends`;
  }

  /** Resolves when partitions can be owned. */
  async start(): Promise<void> {
    await this.#reader.start();
    this.#forgetting = setInterval(() => this.forgetIndexed(), FORGET_EVERY_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#forgetting);
    this.view.close();
    await Promise.all([this.#reader.stop(), this.ports.close()]);
  }

  async read(merchant: string, orderId: string): Promise<OrderState> {
    return (await this.readAsOf(merchant, orderId)).order;
  }

  /** Reads an order of a partition that another instance owns from the index, which may lag behind the journal. */
  async readAsOf(merchant: string, orderId: string): Promise<OrderAsOf> {
    const partition = journalPartition(orderKey(merchant, orderId));
    const owner = this.view.ownerOf(partition);
    if (owner?.isServing === true) {
      const offset = owner.position - 1n;
      return { order: await owner.read(merchant, orderId), partition, offset };
    }
    const { order, marker } = await this.index.read(orderKey(merchant, orderId));
    if (marker === undefined) throw new OrderUnreadableError('The index is being built from the journal');
    return { order: order ?? emptyOrder(merchant, orderId), partition, offset: marker };
  }

  append(record: JournalRecord, trace?: TraceHeaders): Promise<bigint> {
    return this.view.append(record, trace);
  }

  /**
   * Returns the order folded up to the record at `offset`, by this instance or by the owner of its partition; undefined where none has folded it
   * within 5 s.
   */
  async stateAfter(merchant: string, orderId: string, offset: bigint): Promise<OrderState | undefined> {
    const answered = new AbortController();
    const signal = AbortSignal.any([answered.signal, this.view.closing]);
    const folded = this.#folded(merchant, orderId, offset, signal).catch(() => undefined);
    const tooLate = this.ports.parts.timing.sleep(JUDGED_WITHIN_MS, signal).then(
      () => undefined,
      () => undefined,
    );
    try {
      return await Promise.race([folded, tooLate]);
    } finally {
      answered.abort(new Error('the wait for the fold is over'));
    }
  }

  /** A partition may move while its record is awaited, and Redis may be away, so every way is tried until the signal aborts. */
  async #folded(merchant: string, orderId: string, offset: bigint, signal: AbortSignal): Promise<OrderState> {
    const partition = journalPartition(orderKey(merchant, orderId));
    for (;;) {
      try {
        if (this.view.ownerOf(partition)?.isServing === true)
          return await this.view.waitForRecordAfter(merchant, orderId, offset - 1n, signal);
        const { order, marker } = await this.index.read(orderKey(merchant, orderId));
        if (marker !== undefined && marker >= offset) return order ?? emptyOrder(merchant, orderId);
      } catch (error) {
        this.log.debug({ err: error, partition }, 'A record that a person waits for could not be read back');
      }
      await this.ports.parts.timing.sleep(LOOK_AGAIN_MS, signal);
    }
  }

  /** Drops orders that the index holds from memory now, without waiting for the interval. */
  forgetIndexed(): void {
    for (const owner of this.view.owners) owner.forget();
    this.ports.reportBacklog(this.view.owners);
  }

  get #follower(): JournalFollower {
    const reader = this.#reader;
    const { skipped } = this.recovery;
    return {
      follow: (partition, { onRecords, ...log }, bounds) =>
        reader.follow(
          partition,
          {
            ...log,
            onRecords: (records, next) =>
              onRecords(
                records.map((record) => skipped.substitute(record)),
                next,
              ),
          },
          bounds,
        ),
      unfollow: (partition) => reader.unfollow(partition),
      hold: (partition) => reader.hold(partition),
      goOn: (partition) => reader.goOn(partition),
    };
  }
}
