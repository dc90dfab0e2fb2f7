import { Injectable } from '@nestjs/common';
import { conflictsOf, findOperation, isInDoubt, type OrderState } from '@tranche/order-journal';
import { Metrics, ServiceLogger } from '@tranche/service-kit';
import { Clock, RepeatedWork } from '../clock.js';
import { JournalTopic } from './journal-topic.service.js';
import { OrderIndexStore, whole } from './order-index.store.js';
import { Journal } from './journal.service.js';

/** A journal end that the index has not reached yet, and when it was first seen. */
interface Goal {
  end: bigint;
  seenAtMs: number;
}

/** Measures for how long each partition's index has been behind the journal. The delay also grows while measuring fails. */
export class IndexDelays {
  readonly #goals = new Map<number, Goal>();

  /** `next`: offset of the first record that the index lacks; `end`: the journal's end now. */
  measured(partition: number, next: bigint, end: bigint): void {
    const goal = this.#goals.get(partition);
    if (goal === undefined || next >= goal.end) this.#goals.set(partition, { end, seenAtMs: performance.now() });
  }

  /** For a partition that was never measured, the delay starts with this call. */
  secondsOf(partition: number): number {
    const goal = this.#goals.get(partition) ?? { end: 0n, seenAtMs: performance.now() };
    this.#goals.set(partition, goal);
    return (performance.now() - goal.seenAtMs) / 1_000;
  }

  /** Drops partitions that this instance does not project any more. */
  keep(partitions: ReadonlySet<number>): void {
    for (const partition of this.#goals.keys()) if (!partitions.has(partition)) this.#goals.delete(partition);
  }
}

const READS_AT_ONCE = 100;

/** One operation in doubt, or one conflict. */
interface Finding {
  labels: Record<string, string>;
  currency: string;
  amount: number;
  sinceMs: number;
}

/** `reason`: the flag with the cause, `timeout`, `owner_lost` … (docs/operate/runbook.md, "What is in doubt?"). */
const doubtsIn = ({ merchant, operations }: OrderState): Finding[] =>
  operations.filter(isInDoubt).map(({ operation, since = '', latest, currency, amount = 0 }) => ({
    labels: { merchant, operation, reason: latest?.body.flags?.[0] ?? 'unknown' },
    currency,
    amount,
    sinceMs: Date.parse(since),
  }));

/** The amount of a second payment is what was paid beyond the first. */
const conflictsIn = (order: OrderState): Finding[] =>
  conflictsOf(order).map(({ reason, commandId = '', amount = 0, payments }) => ({
    labels: { merchant: order.merchant, reason },
    currency: (findOperation(order, commandId) ?? order.operations[0])?.currency ?? 'unknown',
    amount: payments === undefined ? amount : sumOf(payments.slice(1)),
    sinceMs: 0,
  }));

const sumOf = (all: readonly { amount?: number | undefined }[]) => all.reduce((sum, { amount = 0 }) => sum + amount, 0);

type Gauge = ReturnType<Metrics['gauge']>;

function count(found: readonly Finding[], number: Gauge, money: Gauge): void {
  number.reset();
  money.reset();
  for (const { labels, currency, amount } of found) {
    number.inc(labels);
    money.inc({ ...labels, currency }, amount);
  }
}

/** Each instance measures the partitions that it projects, so the sum over all instances counts each order once. */
@Injectable()
export class JournalGauges extends RepeatedWork {
  protected readonly everyMs = 5_000;
  readonly #doubts;
  readonly #doubtAmount;
  readonly #oldest;
  readonly #conflicts;
  readonly #conflictAmount;
  readonly #behind;
  readonly #delays = new IndexDelays();

  constructor(
    private readonly index: OrderIndexStore,
    private readonly topic: JournalTopic,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly log: ServiceLogger,
    metrics: Metrics,
  ) {
    super();
    const ofDoubts = ['merchant', 'operation', 'reason'];
    const ofConflicts = ['merchant', 'reason'];
    this.#doubts = metrics.gauge({
      name: 'tranche_doubts',
      help: 'Operations in doubt, in the partitions of this instance',
      labelNames: ofDoubts,
    });
    this.#doubtAmount = metrics.gauge({
      name: 'tranche_doubt_amount_minor',
      help: 'Their money, in minor units of the currency; an amount that no message named is left out',
      labelNames: ['merchant', 'operation', 'reason', 'currency'],
    });
    this.#oldest = metrics.gauge({
      name: 'tranche_doubt_oldest_age_seconds',
      help: 'Age of the oldest of them',
      labelNames: ofDoubts,
    });
    this.#conflicts = metrics.gauge({
      name: 'tranche_conflicts',
      help: 'Conflicts that the list of conflicts has now, in the partitions of this instance: `two_payments_succeeded` is a customer who may be charged twice',
      labelNames: ofConflicts,
    });
    this.#conflictAmount = metrics.gauge({
      name: 'tranche_conflict_amount_minor',
      help: 'Their money, in minor units of the currency: of `two_payments_succeeded` what was paid beyond the first payment',
      labelNames: ['merchant', 'reason', 'currency'],
    });
    this.#behind = metrics.gauge({
      name: 'tranche_index_behind_records',
      help: 'Journal records that the index does not have yet, by partition of this instance',
      labelNames: ['partition'],
    });
    metrics.gauge({
      name: 'tranche_journal_partition_stopped',
      help: '1 for each journal partition of this instance that is stopped; `tranche journal status` says why, and what to do',
      labelNames: ['partition'],
      collect() {
        this.reset();
        for (const partition of journal.view.stopped.keys()) this.set({ partition: String(partition) }, 1);
      },
    });
    const delays = this.#delays;
    const own = () => this.#own;
    metrics.gauge({
      name: 'tranche_index_behind_seconds',
      help: 'For how long the index lacks what the journal had, or cannot be asked, by partition of this instance; up to 10 while all is well',
      labelNames: ['partition'],
      collect() {
        this.reset();
        for (const partition of own()) this.set({ partition: String(partition) }, delays.secondsOf(partition));
      },
    });
  }

  get #own(): number[] {
    return this.journal.view.owners.map(({ partition }) => partition);
  }

  /** Never rejects: a gauge that could not be measured keeps its last value. */
  protected async run(): Promise<void> {
    const own = new Set(this.#own);
    try {
      // First, because the doubts of an index that is not whole can't be read: its owner would never compare it.
      await this.#measureDistance(own);
      await this.#measureMoney([...own]);
    } catch (error) {
      this.log.debug({ err: error }, 'Doubts and the distance of the index could not be measured');
    }
  }

  async #measureMoney(own: readonly number[]): Promise<void> {
    const doubts = await this.#found(whole(await this.index.ordersIn('doubt', own)), doubtsIn);
    const conflicts = await this.#found(whole(await this.index.ordersIn('conflict', own)), conflictsIn);
    count(doubts, this.#doubts, this.#doubtAmount);
    count(conflicts, this.#conflicts, this.#conflictAmount);
    this.#oldest.reset();
    // The oldest is set last.
    for (const { labels, sinceMs } of doubts.toSorted((one, other) => other.sinceMs - one.sinceMs))
      this.#oldest.set(labels, Math.max(0, (this.clock.nowMs() - sinceMs) / 1000));
  }

  async #found(orderKeys: readonly string[], findingsIn: (order: OrderState) => Finding[]): Promise<Finding[]> {
    const found: Finding[] = [];
    for (let from = 0; from < orderKeys.length; from += READS_AT_ONCE) {
      const read = await Promise.all(orderKeys.slice(from, from + READS_AT_ONCE).map((key) => this.index.read(key)));
      found.push(...read.flatMap(({ order }) => (order === undefined ? [] : findingsIn(order))));
    }
    return found;
  }

  async #measureDistance(own: ReadonlySet<number>): Promise<void> {
    const [ends, markers] = [await this.topic.offsets(), await this.index.markers()];
    this.#behind.reset();
    this.#delays.keep(own);
    for (const partition of own) {
      const { low = 0n, high = 0n } = ends.get(partition) ?? {};
      const marker = markers.get(partition);
      this.journal.view.ownerOf(partition)?.doubtIndex(marker);
      const next = marker === undefined ? low : marker + 1n;
      this.#behind.set({ partition: String(partition) }, Math.max(0, Number(high - next)));
      this.#delays.measured(partition, next, high);
    }
  }
}
