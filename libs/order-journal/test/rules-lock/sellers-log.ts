import { emptyOrder, fold, type JournalRecord, type OrderState } from '../../src/index.js';
import { carried } from './history-log.js';
import { randomLog, type Log } from './random-log.js';
import { Seeded } from './seeded.js';

const SELLERS = ['anna', 'ben', 'OPERATOR'];

/**
 * Logs of orders in a marketplace: those of `randomLog`, whose authorizations and refunds name sellers, carried over with
 * them now and then. Never change what a seed gives.
 */
export function sellersLog(seed: number): Log {
  const random = new Seeded(seed ^ 0x5e11e5);
  const log: [bigint, JournalRecord][] = [];
  let order: OrderState = emptyOrder('shop-fr', 'o');
  let shift = 0n;
  const land = (offset: bigint, record: JournalRecord) => {
    log.push([offset, record]);
    order = fold(order, record, offset).order;
  };
  for (const [at, bare] of randomLog(seed)) {
    if (random.chance(0.1)) land(at + shift++, carried(random, order, bare));
    land(at + shift, withSellers(random, bare));
  }
  return log;
}

function withSellers(random: Seeded, record: JournalRecord): JournalRecord {
  const mayName = record.record === 'INTENT' && (record.operation === 'authorize' || record.operation === 'refund');
  if (!mayName || random.chance(0.3)) return record;
  const named = SELLERS.filter(() => random.chance(0.5));
  return { ...record, sellers: Object.fromEntries(named.map((seller) => [seller, 100 * (1 + random.below(90))])) };
}
