import { emptyOrder, fold, type OrderState } from '@tranche/order-journal';
import { MERCHANT } from './commands.js';
import { orderIdOf } from './evidence.js';
import { calmProfile } from './profile.js';
import { simulate } from './simulate.js';
import type { World } from './world.js';

const SEEDS = process.env.NIGHTLY ? [1, 2, 3, 4, 5, 6] : [1];

/** Events that the second and later evidence of a notification caused; `undefined` for evidence without one. */
function toldTwice({ shared: { journal } }: World): (string | undefined)[] {
  const orders = new Map<string, OrderState>();
  const seen = new Set<string>();
  const told: (string | undefined)[] = [];
  for (const { key, record, offset } of [...journal.partitions.values()].flat()) {
    const { order, effects } = fold(orders.get(key) ?? emptyOrder(MERCHANT, orderIdOf(key)), record, offset);
    orders.set(key, order);
    if (record.record !== 'EVIDENCE' || record.externalReference === undefined) continue;
    const isRepeated = seen.has(record.externalReference);
    seen.add(record.externalReference);
    if (isRepeated) told.push(effects[0]?.event.type);
  }
  return told;
}

it.each(Array.from({ length: 20 }, (_, cut) => cut + 1))(
  'a partition that loses its last %i records and is resumed loses no acknowledged notification, and those that it kept count once',
  async (records) => {
    for (const seed of SEEDS) {
      const anew = { atMs: 9_000, records, isExact: true, isAnew: false };
      const { violations, world } = await simulate({ seed, profile: { ...calmProfile(), anew } });
      const told = toldTwice(world);
      expect({ seed, violations, isResumed: world.referee.lost.isResumed }).toEqual({ seed, violations: [], isResumed: true }); // prettier-ignore
      expect(told.length).toBeGreaterThan(0);
      expect({ seed, told: told.filter((type) => type !== undefined) }).toEqual({ seed, told: [] });
    }
  },
);
