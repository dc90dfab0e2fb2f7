import { answered, asked, askedUntagged, folded, lost, notExecuted, notified } from '../../test/order-story.js';
import { fold } from './fold.js';
import { historyOf } from './history.js';
import { findOperation, type NotExecutedReason, type OperationState, type OrderState } from './order-state.js';
import type { JournalRecord } from './records.js';
import { snapshotOf } from './snapshot.js';

type Ask = typeof asked;

/** Attempts `from` to `to`, each closed for this reason. */
function tried(from: number, to: number, reason: NotExecutedReason = 'unreachable', ask: Ask = asked): JournalRecord[] {
  return Array.from({ length: to - from + 1 }, (_, n) => from + n).flatMap((attempt) => [
    ask('authorize', { attempt }),
    { ...notExecuted('authorize', attempt), reason } as JournalRecord,
  ]);
}

const orderOf = (...records: JournalRecord[]): OrderState => folded(records).order;
const paymentOf = (order: OrderState): OperationState => findOperation(order, 'authorize')!;
const numbersOf = (order: OrderState) => paymentOf(order).attempts.map(({ attempt }) => attempt);
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);

describe('attempts of an operation', () => {
  it('of those that were never sent the newest 20 are kept; the number of the current one counts all', () => {
    const order = orderOf(...tried(1, 500), asked('authorize', { attempt: 501 }));
    expect(numbersOf(order)).toEqual(numbers(482, 501));
    expect(paymentOf(order).attempt).toBe(501);
  });

  it('those that reached the platform are kept, however old: a notification without a tag may be theirs', () => {
    const busy = tried(1, 2, 'execcode', askedUntagged);
    const order = orderOf(
      ...busy,
      ...tried(3, 40, 'unreachable', askedUntagged),
      askedUntagged('authorize', { attempt: 41 }),
      lost('authorize', 41),
    );
    expect(numbersOf(order)).toEqual([1, 2, ...numbers(22, 41)]);
    const denied = { ...notified('authorize', '5003', { answer: { transactionId: undefined } }), tag: undefined };
    const after = folded([denied], order).order;
    expect([paymentOf(after).phase, after.unmatchedEvidence.length]).toEqual(['in_doubt', 1]);
  });
});

describe('of an attempt that is not kept any more', () => {
  const waiting = orderOf(...tried(1, 40), asked('authorize', { attempt: 41 }), answered('authorize', '0003', {}, 41));

  it('a late answer is a conflict, as before, and none of a call that was never granted', () => {
    const late = answered('authorize', '0000', { transactionId: 'T-late' }, 3);
    const { order, events, bodies } = folded([late, late], waiting);
    expect(events).toEqual(['conflict.detected']);
    expect(bodies[0]!.flags).toEqual(['was_pending', 'said_succeeded']);
    expect(order.unauthorizedOutcomes).toBeUndefined();
  });

  it('a late answer settles the operation that waits for its next attempt', () => {
    const late = answered('authorize', '0000', { transactionId: 'T-late' }, 3);
    const { order, events } = folded([late], orderOf(...tried(1, 40)));
    expect(events).toEqual(['conflict.detected', 'authorize.succeeded']);
    expect(paymentOf(order)).toMatchObject({ end: 'succeeded', settledBy: 3, transactionId: 'T-late' });
  });

  it('a notification with its tag is a conflict, and what it names is known from then on', () => {
    const answer = { transactionId: 'T-late' };
    const tagged = notified('authorize', '0000', { attemptTagged: 3, answer });
    const first = folded([tagged], waiting);
    expect(first.bodies.map(({ flags }) => flags)).toEqual([['was_pending', 'said_succeeded']]);
    const again = folded([{ ...tagged, tag: undefined }], first.order);
    expect([again.events, again.order.external]).toEqual([[], []]);
  });

  it('its late answer, and notifications with its tag and without, end alike in every order', () => {
    const answer = { transactionId: 'T-late' };
    const tagged = notified('authorize', '0000', { attemptTagged: 3, answer });
    const reports = [answered('authorize', '0000', answer, 3), tagged, { ...tagged, tag: undefined }];
    const orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]; // prettier-ignore
    for (const before of [waiting, orderOf(...tried(1, 40))]) {
      const ends = orders.map((order) => {
        const after = folded([...order.map((at) => reports[at]!)], before);
        const { phase, end, transactionId } = paymentOf(after.order);
        const conflicts = after.events.filter((event) => event === 'conflict.detected').length;
        return {
          phase,
          end,
          transactionId,
          conflicts,
          external: after.order.external,
          unauthorizedOutcomes: after.order.unauthorizedOutcomes,
        };
      });
      for (const end of ends) expect(end).toEqual(ends[0]);
    }
  });

  it('an answer with a token that was never granted stays one, whatever attempt it names', () => {
    const stray = { ...answered('authorize', '0000', { transactionId: 'T-stray' }, 3), token: 'stray' };
    const { order, bodies } = folded([stray], waiting);
    expect(bodies[0]!.flags).toContain('never_granted');
    expect(order.unauthorizedOutcomes).toHaveLength(1);
  });

  it('nor is it one of the attempt that evidence named by its number: guards know that it may have succeeded', () => {
    const tagged = notified('authorize', '0000', { attemptTagged: 3, answer: { transactionId: 'T-late' } });
    const stray = { ...answered('authorize', '0003', { transactionId: 'T-stray' }, 3), token: 'stray' };
    const { order, bodies } = folded([tagged, stray], waiting);
    expect(bodies.at(-1)!.flags).toContain('never_granted');
    expect(order.unauthorizedOutcomes).toHaveLength(1);
  });
});

it('what is kept is carried over: who knows all attempts and who does not have one state', () => {
  const order = orderOf(...tried(1, 40), asked('authorize', { attempt: 41 }), lost('authorize', 41));
  const { merchant, orderId } = order;
  const at = new Date(Date.parse(asked('authorize').at) + 60 * 86_400_000).toISOString();
  const carried = { merchant, orderId, at, seen: historyOf(order), state: snapshotOf(order, at) };
  const after = fold(order, { record: 'SNAPSHOT', rulesVersion: 1, ...carried }, BigInt(order.lastOffset) + 1n).order;
  expect(numbersOf(after)).toEqual(numbers(22, 41));
});
