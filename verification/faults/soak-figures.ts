import { isDeepStrictEqual } from 'node:util';
import { isInDoubt, isOpen, summaryOf, type OrderState } from '@tranche/order-journal';
import { percentile } from '../figures.js';
import { statusOf, type OrderTraces } from './referee-book.js';
import type { PlannedFault } from './soak-plan.js';
import type { OperationOfPlatform } from './traces.js';

export type Point = readonly [x: number, y: number];

export interface Measured {
  name: string;
  unit: string;
  points: Point[];
  bound: Bound;
}

/** Values are above it if they rise faster than `perX` and, over the time that is measured, by more than `noise`. */
export interface Bound {
  perX: number;
  noise: number;
  /** Points of this length of x at the beginning are left out; the others must be as long as `span`. */
  warmUp: number;
  span: number;
}

/**
 * - Live memory, MiB a minute: 4 fill the 512 MiB that a small container has left within two hours. Below 24 MiB it is calls in flight.
 * - Descriptors a minute, without connections to the platform: a leak of one at each fault is one a minute. Below 24 they are notifications in flight.
 * - Keys an order: the index has one. Rows an order: 14 of these stories, namely its own and one for each record and event.
 */
export const BOUNDS = {
  memory: { perX: 4, noise: 24, warmUp: 1, span: 3 },
  descriptors: { perX: 1, noise: 24, warmUp: 1, span: 3 },
  keys: { perX: 3, noise: 0, warmUp: 100, span: 100 },
  rows: { perX: 25, noise: 0, warmUp: 100, span: 100 },
} as const satisfies Record<string, Bound>;

export interface Slope {
  name: string;
  unit: string;
  /** Undefined if too little was measured. */
  slope?: number;
  /** The first and the last value. */
  from: number;
  to: number;
  isAbove: boolean;
}

export function slopeOf({ name, unit, points, bound }: Measured): Slope {
  const [[firstX, from] = [0, 0], [, to] = [0, 0]] = [points[0], points.at(-1)];
  const kept = points.filter(([x]) => x - firstX >= bound.warmUp);
  const span = (kept.at(-1)?.[0] ?? 0) - (kept[0]?.[0] ?? 0);
  if (kept.length < 3 || span < bound.span) return { name, unit, from, to, isAbove: false };
  const slope = medianSlope(kept);
  return { name, unit, slope, from, to, isAbove: slope > bound.perX && slope * span > bound.noise };
}

/** The median of the slopes between any two points (Theil-Sen), so the jumps of a fault do not count. */
function medianSlope(points: readonly Point[]): number {
  const slopes = points.flatMap(([x, y], at) =>
    points.slice(at + 1).flatMap(([laterX, laterY]) => (laterX > x ? [(laterY - y) / (laterX - x)] : [])),
  );
  return percentile(slopes, 0.5);
}

export interface TimedCommand {
  sentAtMs: number;
  /** Infinity without an answer. */
  answeredAtMs: number;
}

export interface PlayedFault extends PlannedFault {
  /** Says more of the fault. */
  detail: string;
  beganMs: number;
  endedMs: number;
}

/** A command is slow if it takes twice as long as nine of ten did before the fault, within these bounds: a busy machine is slow by itself. */
const SLOW_MS = { atLeast: 1_500, atMost: 10_000 };
const BEFORE_MS = 10_000;
/** A second in which more than this share of the commands was slow is not a good one. */
const SLOW_SHARE = 0.05;
const GOOD_SECONDS = 5;

/** Counts the seconds from the end of a fault to the first of five good ones. Undefined if there are none before `untilMs`. */
export function recoveryOf(
  { beganMs, endedMs }: Pick<PlayedFault, 'beganMs' | 'endedMs'>,
  commands: readonly TimedCommand[],
  untilMs: number,
): number | undefined {
  const near = commands.filter(({ sentAtMs }) => sentAtMs >= beganMs - BEFORE_MS && sentAtMs < untilMs);
  const before = near.filter(({ sentAtMs }) => sentAtMs < beganMs);
  const usualMs = percentile(before.map(tookMs), 0.9) || 0;
  const slowMs = Math.min(Math.max(SLOW_MS.atLeast, 2 * usualMs), SLOW_MS.atMost);
  const last = Math.floor((untilMs - endedMs) / 1_000) - GOOD_SECONDS;
  for (let at = 0; at <= last; at++) {
    const seconds = Array.from({ length: GOOD_SECONDS }, (_, more) => endedMs + (at + more) * 1_000);
    if (seconds.every((fromMs) => isGood(near, fromMs, slowMs))) return at;
  }
  return undefined;
}

export const tookMs = ({ sentAtMs, answeredAtMs }: TimedCommand): number => answeredAtMs - sentAtMs;

function isGood(commands: readonly TimedCommand[], fromMs: number, slowMs: number): boolean {
  const sent = commands.filter(({ sentAtMs }) => sentAtMs >= fromMs && sentAtMs < fromMs + 1_000);
  return sent.filter((one) => tookMs(one) > slowMs).length <= SLOW_SHARE * sent.length;
}

/** Sums what the platform moved for an order, by its ledger alone. */
function sumsOfLedger(executed: readonly OperationOfPlatform[]) {
  const succeeded = executed.filter(({ finalExecCode }) => statusOf(finalExecCode) === 'succeeded');
  const voided = new Set(succeeded.filter((one) => one.operationType === 'void').map(({ initialId }) => initialId));
  const sum = (isOne: (operation: OperationOfPlatform) => boolean) =>
    succeeded.filter(isOne).reduce((total, { amount }) => total + amount, 0);
  return {
    authorized: sum((one) => one.transactionId === one.initialId && !voided.has(one.transactionId)),
    captured: sum(({ operationType }) => operationType === 'capture' || operationType === 'payment'),
    refunded: sum(({ operationType }) => operationType === 'refund'),
  };
}

export interface Books {
  orders: number;
  /** Minor units, by the ledger. */
  captured: number;
  /** Orders with a doubt, of which the journal does not know what the platform did. */
  inDoubt: number;
  differences: string[];
}

/** Compares ledger, journal and the read model of operations, order by order. */
export function booksOf(orders: Iterable<OrderTraces>, rows: ReadonlyMap<string, OrderState>): Books {
  const books: Books = { orders: 0, captured: 0, inDoubt: 0, differences: [] };
  for (const { key, order, executed } of orders) {
    // Its commands were rejected, or never came to Kafka.
    if (order.operations.length + order.external.length + executed.length === 0) continue;
    const ledger = sumsOfLedger(executed);
    const [inJournal, inOperations] = [order, rows.get(key)].map((state) => state && summaryOf(state));
    const { authorized, captured, refunded } = inJournal!.amounts;
    const isInDoubtYet = order.operations.some((operation) => isInDoubt(operation) || isOpen(operation));
    books.orders++;
    books.captured += ledger.captured;
    if (isInDoubtYet) books.inDoubt++;
    if (!isDeepStrictEqual(inJournal, inOperations))
      books.differences.push(`${key}: operations shows ${shown(inOperations)}, the journal says ${shown(inJournal)}`);
    if (!isInDoubtYet && !isDeepStrictEqual(ledger, { authorized, captured, refunded }))
      books.differences.push(`${key}: the ledger has ${shown(ledger)}, the journal says ${shown(inJournal)}`);
  }
  return books;
}

const shown = (value: unknown): string => JSON.stringify(value) ?? 'nothing';
