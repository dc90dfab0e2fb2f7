import { parseOrderKey } from '@tranche/contracts';
import {
  historyOf,
  isEmptyOrder,
  isOpen,
  journalPartition,
  timerRecord,
  type OwnedJournal,
  type OrderState,
} from '@tranche/order-journal';
import type { Landed } from './journal.js';
import type { SimulatedProcess } from './process.js';

const DAY_MS = 86_400_000;

/** Share of timers that would delete the order's state; here they are always too early. */
const FORGETS = 0.25;

/**
 * Does at once what the timers do after 60 days and more: writes a snapshot of one order, or tries to delete its state. A failure is
 * retried by a later call.
 */
export async function runRetentionTimer(
  process: SimulatedProcess,
  view: OwnedJournal,
  orderKeys: readonly string[],
): Promise<void> {
  const { random, isTroubled } = process.env;
  if (!isTroubled()) return;
  const { merchant, orderId } = parseOrderKey(random.pick(orderKeys))!;
  const timer = random.chance(FORGETS) ? 'tombstone' : 'snapshot';
  const order = await view.read(merchant, orderId);
  if (isEmptyOrder(order) || order.operations.some(isOpen)) return;
  const atMs = timer === 'tombstone' ? tombstoneAtMs(order, process.nowMs()) : process.nowMs();
  await view.append(timerRecord(order, { timer, atMs: 0 }, atMs));
}

/**
 * Returns 36 days after the last transition if only our timer ended a payment that may yet succeed: any other order could be deleted then.
 */
function tombstoneAtMs(order: OrderState, nowMs: number): number {
  const mayYetSucceed = order.operations.some((operation) => operation.mayYetSucceed);
  return mayYetSucceed ? Date.parse(order.movedAt ?? '') + 36 * DAY_MS : nowMs;
}

/**
 * Knows up to where the journal may be deleted: each order must keep its first record, or a snapshot with its whole state. Call it for
 * every record, with the order before it.
 */
export class Retention {
  /** Per order, the offsets from which its records suffice. */
  readonly #whole = new Map<string, bigint[]>();

  landed({ key, offset, record }: Landed, before: OrderState): void {
    const isWhole = isEmptyOrder(before) || (record.record === 'SNAPSHOT' && record.seen === historyOf(before));
    if (isWhole) this.#whole.set(key, [...(this.#whole.get(key) ?? []), offset]);
  }

  /** Returns the first offset that a partition must keep if all events below `published` are published. */
  firstNeeded(partition: number, published: bigint): bigint {
    const ofPartition = [...this.#whole].filter(([key]) => journalPartition(key) === partition);
    const needed = ofPartition.map(([, offsets]) => offsets.findLast((offset) => offset < published) ?? offsets[0]!);
    return needed.reduce((one, other) => (one < other ? one : other), published);
  }

  moved(renamed: (partition: number, offset: bigint) => bigint): void {
    for (const [key, offsets] of this.#whole)
      this.#whole.set(
        key,
        offsets.map((offset) => renamed(journalPartition(key), offset)),
      );
  }
}
