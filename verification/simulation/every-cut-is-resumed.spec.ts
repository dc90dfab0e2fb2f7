import { emptyOrder, fold, type OrderState } from '@tranche/order-journal';
import { MERCHANT } from './commands.js';
import { orderIdOf } from './evidence.js';
import { calmProfile } from './profile.js';
import { simulate } from './simulate.js';
import type { World } from './world.js';

const SEEDS = process.env.NIGHTLY ? [1, 2, 3, 4, 5, 6] : [1];

/** Events that the second and later evidence of a notification caused; `undefined` for evidence without one. */
function publishedTwice({ shared: { journal } }: World): (string | undefined)[] {
  const orders = new Map<string, OrderState>();
  const seen = new Set<string>();
  const published: (string | undefined)[] = [];
  for (const { key, record, offset } of [...journal.partitions.values()].flat()) {
    const { order, effects } = fold(orders.get(key) ?? emptyOrder(MERCHANT, orderIdOf(key)), record, offset);
    orders.set(key, order);
    if (record.record !== 'EVIDENCE' || record.externalReference === undefined) continue;
    const isRepeated = seen.has(record.externalReference);
    seen.add(record.externalReference);
    if (isRepeated) published.push(effects[0]?.event.type);
  }
  return published;
}

it.each(Array.from({ length: 20 }, (_, cut) => cut + 1))(
  'a partition that loses its last %i records and is resumed loses no acknowledged notification, and those that it kept count once',
  async (records) => {
    for (const seed of SEEDS) {
      const journalLoss = { atMs: 9_000, records, isExact: true, isRecreated: false };
      const { violations, world } = await simulate({ seed, profile: { ...calmProfile(), journalLoss } });
      const published = publishedTwice(world);
      expect({ seed, violations, isResumed: world.referee.lost.isResumed }).toEqual({ seed, violations: [], isResumed: true }); // prettier-ignore
      expect(published.length).toBeGreaterThan(0);
      expect({ seed, published: published.filter((type) => type !== undefined) }).toEqual({ seed, published: [] });
    }
  },
);
