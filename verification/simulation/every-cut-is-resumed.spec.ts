import { emptyOrder, findOperation, fold, type OperationState, type OrderState } from '@tranche/order-journal';
import { MERCHANT } from './commands.js';
import { orderIdOf } from './evidence.js';
import { calmProfile, type Resumed } from './profile.js';
import { simulate } from './simulate.js';
import { RESUME_STEPS, type World } from './world.js';

/** Worlds of which one partition has more than 20 records. */
const SEEDS = process.env.NIGHTLY ? [2, 3, 4, 5, 6, 16] : [2];

/** Events that the second and later evidence of a notification caused; `undefined` for evidence without one. */
function publishedTwice({ journal }: World): (string | undefined)[] {
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

/**
 * Successes of before the loss that the end does not show: as the success of their command, or, where no kept record names that command, as a
 * success of the same transaction that no command asked for.
 */
function forgotten({ referee, referee: { lost } }: World): string[] {
  return [...lost.before].flatMap(([key, before]) => {
    const after = referee.order(key);
    const isShown = ({ commandId, transactionId }: OperationState) => {
      const kept = findOperation(after, commandId);
      if (kept) return kept.end === 'succeeded';
      return after.external?.some((one) => one.transactionId === transactionId && one.result === 'succeeded') === true;
    };
    return succeeded(before).flatMap((one) => (isShown(one) ? [] : [`${one.commandId} of ${key}`]));
  });
}

const succeeded = ({ operations }: OrderState) => operations.filter(({ end }) => end === 'succeeded');

const CUTS = Array.from({ length: 20 }, (_, cut) => cut + 1);
/** An interruption leaves out another number of steps at each cut, so that every step is the last one of some runs. */
const WAYS: [string, (cut: number) => Resumed][] = [
  ['once', () => ({ interruptedAfter: [], isTwice: false })],
  ['twice', () => ({ interruptedAfter: [], isTwice: true })],
  ['interrupted, and then to its end', (cut) => ({ interruptedAfter: [cut % RESUME_STEPS], isTwice: false })],
];

it.each(CUTS.flatMap((cut) => WAYS.map(([way, resumed]) => [cut, way, resumed(cut)] as const)))(
  'a partition that loses its last %i records and is resumed %s loses no acknowledged notification and forgets no success, and the notifications that it kept count once',
  async (records, _way, exactly) => {
    for (const seed of SEEDS) {
      const journalLoss = { atMs: 9_000, records, exactly, isRecreated: false };
      const { violations, world } = await simulate({ seed, profile: { ...calmProfile(), journalLoss } });
      const { lost } = world.referee;
      const isDone = { violations: [], isResumed: true, records };
      expect({ seed, violations, isResumed: lost.isResumed, records: lost.records }).toEqual({ seed, ...isDone });
      expect([...lost.before.values()].flatMap(succeeded).length).toBeGreaterThan(1);
      expect({ seed, forgotten: forgotten(world) }).toEqual({ seed, forgotten: [] });
      const published = publishedTwice(world);
      expect(published.length).toBeGreaterThan(0);
      expect({ seed, published: published.filter((type) => type !== undefined) }).toEqual({ seed, published: [] });
    }
  },
);
