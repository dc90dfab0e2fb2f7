import { asked, captured, folded, lost, notified, operatorSays, standing } from '../../test/order-story.js';
import { conflictsOf } from './conflicts.js';
import { standingOf } from './history.js';
import { verdictOf, type OrderState } from './order-state.js';
import type { JournalRecord, Settled } from './records.js';
import { whatIf } from './what-if.js';

const doubtful = folded([asked('authorize'), lost('authorize')]).order;

it('tells what a statement would do, by the fold itself, and changes nothing', () => {
  const before = JSON.stringify(doubtful);
  const record = operatorSays('authorize', 'not_executed');
  const { order, effects, opens, closes, conflictsWith } = whatIf(doubtful, record, 'authorize');
  expect([standing(order, 'authorize'), effects.map(({ event }) => event.type)]).toEqual([
    'ended not_executed',
    ['payment.authorize.doubt_resolved'],
  ]);
  expect([opens, closes]).toEqual([[{ operation: 'authorize', code: 'order_in_doubt' }], []]);
  expect(conflictsWith).toEqual(['succeeded', 'refused']);
  expect(JSON.stringify(doubtful)).toBe(before);
});

it('names the follow-ups that a success lets through, and none that is refused as before', () => {
  const record = operatorSays('authorize', 'succeeded', { transactionId: 'T1' });
  const { opens, conflictsWith } = whatIf(doubtful, record, 'authorize');
  expect(opens).toEqual([
    { operation: 'capture', transactionId: 'T1', code: 'order_in_doubt' },
    { operation: 'void', transactionId: 'T1', code: 'order_in_doubt' },
  ]);
  expect(conflictsWith).toEqual(['refused', 'not_executed']);
});

it('names what is granted now and refused then', () => {
  const order = folded([...captured, notified('capture', '0000', { answer: { amount: 25_000 } })]).order;
  const [{ id } = { id: '' }] = conflictsOf(order);
  const { merchant, orderId, at } = asked('pay');
  const settled: Settled = {
    ...{ record: 'SETTLED', rulesVersion: 2, merchant, orderId, at, conflict: id, outcome: 'repaired' },
    ...{ amount: 30_000, transactionId: 'T-capture', reference: 'T-back', seen: standingOf(order) },
    ...{ actor: 'alice', approvedBy: '', reason: 'seen in the books' },
  };
  const { closes } = whatIf(order, settled, 'capture');
  expect(closes).toEqual([{ operation: 'refund', transactionId: 'T-capture', code: 'refund_exceeds_remaining' }]);
});

it('says of every statement what appending it then does', () => {
  const said: [OrderState, JournalRecord][] = [
    [doubtful, operatorSays('authorize', 'refused')],
    [doubtful, operatorSays('authorize', 'not_executed')],
    [doubtful, operatorSays('authorize', 'succeeded', { transactionId: 'T1' })],
  ];
  for (const [order, record] of said) {
    const { order: then, opens } = whatIf(order, record, 'authorize');
    const appended = folded([record], order).order;
    expect(appended).toEqual(then);
    const next = asked('authorize-2');
    const isLetThrough = opens.some(({ operation }) => operation === 'authorize');
    expect(verdictOf(folded([next], appended).order, next.token) === 'granted').toBe(isLetThrough);
  }
});
