import { Injectable } from '@nestjs/common';
import { orderKey } from '@tranche/contracts';
import {
  emptyOrder,
  journalPartition,
  OrderUnreadableError,
  OwnedJournal,
  transactionIdsOf,
  type JournalRecord,
  type OrderState,
  type SkippedRecord,
} from '@tranche/order-journal';
import type { TraceHeaders } from '@tranche/runtime';
import { ServiceLogger } from '@tranche/service-kit';
import { Clock } from '../clock.js';
import { JournalTopic } from './journal-topic.service.js';
import { OrderIndexStore, type MissingPartition } from './order-index.store.js';

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
  constructor(
    readonly view: OwnedJournal,
    private readonly topic: JournalTopic,
    private readonly index: OrderIndexStore,
    private readonly clock: Clock,
    private readonly log: ServiceLogger,
  ) {}

  /** The epoch with which sequences of events start. */
  get epoch(): number {
    return this.topic.recovery.epoch;
  }

  /** Records that people skipped; each froze its order. */
  get skips(): readonly SkippedRecord[] {
    return this.topic.recovery.skips;
  }

  /** Resolves when partitions can be owned. */
  start(): Promise<void> {
    return this.topic.start();
  }

  async stop(): Promise<void> {
    this.view.close();
    await this.topic.stop();
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
      return { order: await owner.read({ merchant, orderId }), partition, offset };
    }
    const { order, marker } = await this.index.read(orderKey(merchant, orderId));
    if (marker === undefined) throw new OrderUnreadableError('The index is being built from the journal');
    return { order: order ?? emptyOrder(merchant, orderId), partition, offset: marker };
  }

  /**
   * Returns the merchant's orders that have the TRANSACTIONID, by all records that the journal held at the call. `missing`: partitions whose index can't
   * be read, or does not get to the journal's end within 5 s; each may have an order that is not returned.
   */
  async ordersOfTransaction(
    merchant: string,
    transactionId: string,
  ): Promise<{ orderIds: string[]; missing: MissingPartition[] }> {
    const ends = await this.topic.offsets();
    const untilMs = this.clock.monotonicMs() + JUDGED_WITHIN_MS;
    for (;;) {
      const { found, missing } = await this.index.ordersOfTransaction(merchant, transactionId);
      const behind = [...found]
        .filter(([partition, { marker }]) => marker + 1n < (ends.get(partition)?.high ?? 0n))
        .map(([partition]) => indexBehind(partition));
      const isOver = this.clock.monotonicMs() > untilMs;
      if (missing.length + behind.length === 0 || isOver) {
        const orders = await Promise.all(
          [...found.values()].flatMap(({ orderId }) => (orderId === undefined ? [] : [this.read(merchant, orderId)])),
        );
        const holders = orders.filter((order) => transactionIdsOf(order).includes(transactionId));
        return { orderIds: holders.map(({ orderId }) => orderId), missing: [...missing, ...behind] };
      }
      await this.clock.sleep(LOOK_AGAIN_MS, this.view.closing);
    }
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
    const tooLate = this.clock.sleep(JUDGED_WITHIN_MS, signal).then(
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
      await this.clock.sleep(LOOK_AGAIN_MS, signal);
    }
  }
}

function indexBehind(partition: number): MissingPartition {
  const detail = `The index of journal partition ${partition} is behind the journal. If it stays so, the partition is stopped: \`tranche journal status\` says why.`;
  return { partition, code: 'behind', detail };
}
