import { snapshotOf, emptyOrder, fold, historyOf, type JournalRecord, type OrderState } from '../../src/index.js';
import { randomLog, type Log } from './random-log.js';
import { Seeded } from './seeded.js';

const DAY_MS = 86_400_000;

/**
 * Logs like those of `randomLog` whose writers name histories, and snapshot and forget orders, sometimes too late or too early. Some logs lack their
 * beginning. Some records land a second time, late. Never change the log of a seed.
 */
export function historyLog(seed: number): Log {
  const random = new Seeded(seed ^ 0x5eed);
  const log: [bigint, JournalRecord][] = [];
  /** The order after each record, as its writers knew it. */
  const states: OrderState[] = [emptyOrder('shop-fr', 'o')];
  let shift = 0n;
  const land = (offset: bigint, record: JournalRecord) => {
    log.push([offset, record]);
    states.push(fold(states.at(-1)!, record, offset).order);
  };
  const known = () => (random.chance(0.85) ? states.at(-1)! : random.pick(states));
  for (const [at, bare] of randomLog(seed)) {
    if (log.length > 0 && random.chance(0.25)) land(at + shift++, random.pick(log)[1]);
    if (random.chance(0.12)) land(at + shift++, carried(random, known(), bare));
    if (random.chance(0.05)) land(at + shift++, forgotten(random, known(), bare));
    const isNamed = 'seen' in bare && bare.seen !== undefined;
    const record = isNamed ? { ...bare, seen: historyOf(known()) } : bare;
    land(at + shift, record.record === 'TOMBSTONE' ? forgotten(random, known(), bare) : record);
  }
  return random.chance(0.3) ? log.slice(random.below(log.length)) : log;
}

const inOrder = ({ merchant, orderId, rulesVersion }: JournalRecord) => ({ rulesVersion, merchant, orderId });

const after = (random: Seeded, { at }: JournalRecord): string =>
  new Date(Date.parse(at) + random.pick([0, DAY_MS, 40 * DAY_MS, 60 * DAY_MS, 500 * DAY_MS])).toISOString();

export function carried(random: Seeded, order: OrderState, beside: JournalRecord): JournalRecord {
  const at = after(random, beside);
  return {
    ...{ ...inOrder(beside), record: 'SNAPSHOT', at },
    ...{ seen: historyOf(order), state: snapshotOf(order, at) },
  };
}

function forgotten(random: Seeded, order: OrderState, beside: JournalRecord): JournalRecord {
  const seen = { seen: historyOf(order), refundableDays: random.pick([35, 400]) };
  return { ...inOrder(beside), record: 'TOMBSTONE', at: after(random, beside), ...seen };
}
