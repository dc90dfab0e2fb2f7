import { evidenceResult, execCodeNotes, operationTag } from '@tranche/order-journal';
import { Random } from '../simulation/random.js';
import { play, shrunk } from './compare.js';
import { toNewRecord } from './names.js';
import { nextSide, type Json, type OldSide, type Sides } from './sides.js';
import { stepsOf, type Draft, type Story } from './stories.js';
import { changed, damaged } from './variations.js';

const head = { rulesVersion: nextSide.RULES_VERSIONS.at(-1), merchant: 'shop-fr', orderId: 'o1' };
/** Today's fold, which takes records in their old form. */
const same = {
  ...{ ...nextSide, evidenceResult, execCodeNotes, operationTag },
  fold: (order: Json, record: Json, offset: bigint, hash: () => string) =>
    nextSide.fold(order, toNewRecord(record), offset, hash),
} as unknown as OldSide;

function story(): Story {
  const terms = { operation: 'pay', method: 'A', currency: 'EUR', amount: 20_000, contentHash: 'pay' };
  const of = { commandId: 'pay', attempt: 1, token: 'pay#1' };
  const draft = (second: number, record: Json): Draft => {
    const whole = { ...record, ...head, at: `2026-03-01T10:00:0${second}.000Z` };
    return { old: whole, next: whole };
  };
  const drafts = [
    draft(0, { record: 'INTENT', ...of, ...terms }),
    draft(1, { record: 'REPEATED', commandId: 'pay' }),
    draft(2, { record: 'IN_DOUBT', ...of, reason: 'timeout', message: 'no answer' }),
    draft(3, { record: 'REPEATED', commandId: 'pay' }),
    draft(4, { record: 'OUTCOME', ...of, result: 'succeeded', answer: { execCode: '0000', transactionId: 'T1' } }),
  ];
  return { name: 'a payment', merchant: 'shop-fr', orderId: 'o1', drafts };
}

/** A fold that does not note that an operation was in doubt. */
const planted: Sides = {
  old: same,
  next: {
    ...nextSide,
    fold(order, record, offset, hash) {
      const { order: next, effects } = nextSide.fold(order, record, offset, hash);
      const operations = (next.operations as Json[]).map((one) => ({ ...one, wasInDoubt: undefined }));
      return { order: { ...next, operations }, effects };
    },
  },
};

it('finds no difference between a fold and itself, whatever happens to a journal', () => {
  const sides = { old: same, next: nextSide };
  for (let seed = 0; seed < 300; seed++) {
    const random = new Random(seed);
    const steps = stepsOf(changed(story(), random, sides), sides);
    expect(play(damaged(steps, random).steps, sides).difference).toBeUndefined();
  }
});

it('finds a planted difference, names its path, and leaves out the records that it does not need', () => {
  const steps = shrunk(stepsOf(story(), planted), planted);
  expect(steps.map(({ next }) => next.record)).toEqual(['INTENT', 'IN_DOUBT']);
  expect(play(steps, planted).difference).toEqual({
    at: 1,
    lines: ['order.operations.0.wasInDoubt: old true, new undefined'],
  });
});
