import { parseOrderKey } from '@tranche/contracts';
import {
  SNAPSHOT_EVERY_MS,
  historyOf,
  isEmptyOrder,
  isOpen,
  journalPartition,
  mayWrite,
  RULES_VERSION,
  timerRecord,
  timersOf,
  type JournalView,
  type OrderState,
  type RulesVersion,
} from '@tranche/order-journal';
import type { SimulatedGroup } from './consumer-group.js';
import type { Landed, SimulatedJournal } from './journal.js';
import type { SimulatedProcess } from './process.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Part of the records of this kind that would forget the order: always too early. */
const FORGETS = 0.25;

/** What the timers do in 60 days and more, in a hurry: one order is carried over, or is to be forgotten. What fails is done another time. */
export async function keepOne(
  process: SimulatedProcess,
  view: JournalView,
  orderKeys: readonly string[],
  rulesVersion: RulesVersion,
): Promise<void> {
  const { random, isTroubled } = process.around;
  if (!isTroubled() || !mayWrite('SNAPSHOT', rulesVersion)) return;
  const { merchant, orderId } = parseOrderKey(random.pick(orderKeys))!;
  const timer = random.chance(FORGETS) ? 'forget' : 'carry';
  const order = await view.read(merchant, orderId);
  if (isEmptyOrder(order) || order.operations.some(isOpen)) return;
  const atMs = timer === 'forget' ? forgottenAtMs(order, process.nowMs()) : process.nowMs();
  await view.append(timerRecord(order, { timer, atMs: 0 }, atMs, { rulesVersion, refundableDays: 400 }));
}

/** 36 days after its last transition where a payment may yet succeed that only our timer ended: an order without one could be forgotten then. */
function forgottenAtMs(order: OrderState, nowMs: number): number {
  const mayYetSucceed = order.operations.some((operation) => operation.mayYetSucceed);
  return mayYetSucceed ? Date.parse(order.movedAt ?? '') + 36 * DAY_MS : nowMs;
}

/**
 * An order that was never carried over since its first record: it must be carried before that is deleted. Said as
 * what is wrong with its timer.
 */
export function carriedTooLate(order: OrderState, firstAt: string): string | undefined {
  const timers = timersOf(order, { rulesVersion: RULES_VERSION, refundableDays: 400 });
  const carry = timers.find(({ timer }) => timer === 'carry');
  if (carry === undefined) return undefined;
  const byMs = Math.max(Date.parse(firstAt) + SNAPSHOT_EVERY_MS, Date.parse(order.movedAt ?? '') + HOUR_MS);
  return carry.atMs > byMs ? `it is carried over ${carry.atMs - byMs} ms after its first record needs it` : undefined;
}

/** Where the journal may be cut: at the records that hold the whole state of their order. Told of every record, with the order before it. */
export class Retention {
  /** Per order the offsets from which its records are all that is needed. */
  readonly #whole = new Map<string, bigint[]>();

  landed({ key, offset, record }: Landed, before: OrderState): void {
    const isWhole = isEmptyOrder(before) || (record.record === 'SNAPSHOT' && record.seen === historyOf(before));
    if (isWhole) this.#whole.set(key, [...(this.#whole.get(key) ?? []), offset]);
  }

  /** First offset that must be kept of a partition whose events below `published` were published; what comes behind rests on whole orders. */
  firstNeeded(partition: number, published: bigint): bigint {
    const ofPartition = [...this.#whole].filter(([key]) => journalPartition(key) === partition);
    const needed = ofPartition.map(([, offsets]) => offsets.findLast((offset) => offset < published) ?? offsets[0]!);
    return needed.reduce((one, other) => (one < other ? one : other), published);
  }

  /** Offsets are others now. */
  moved(renamed: (partition: number, offset: bigint) => bigint): void {
    for (const [key, offsets] of this.#whole)
      this.#whole.set(
        key,
        offsets.map((offset) => renamed(journalPartition(key), offset)),
      );
  }
}

/** Deletes what no order needs any more and every projector has published. Returns how many records. */
export function cutJournal(journal: SimulatedJournal, retention: Retention, projectors: SimulatedGroup): number {
  let deleted = 0;
  for (const [partition, landed] of journal.partitions) {
    const published = projectors.lowestCommitted({ topic: 'journal', partition });
    const low = retention.firstNeeded(partition, published);
    deleted += landed.filter(({ offset }) => offset < low && offset >= journal.low(partition)).length;
    journal.cut(partition, low);
  }
  return deleted;
}
