import {
  answered,
  asked,
  captured,
  folded,
  lost,
  notified,
  notifiedElsewhere,
  operatorSays,
  standing,
} from '../../test/order-story.js';
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

it('names the refund of a card payment, and of a capture, and no follow-up of a refund or a void', () => {
  const byCard = folded([asked('pay'), lost('pay')]).order;
  const paid = operatorSays('pay', 'succeeded', { transactionId: 'T1' });
  expect(whatIf(byCard, paid, 'pay').opens).toEqual([
    { operation: 'refund', transactionId: 'T1', code: 'order_in_doubt' },
  ]);
  const refund = folded([...captured, asked('refund', { amount: 5 }), lost('refund')]).order;
  const given = operatorSays('refund', 'succeeded', { transactionId: 'T2' });
  expect(whatIf(refund, given, 'refund').opens).toEqual([
    { operation: 'refund', transactionId: 'T-capture', code: 'order_in_doubt' },
  ]);
});

it('names a payment where the order knows none of ours, and says that a call is under way', () => {
  const capture = notifiedElsewhere('capture', '0000', { transactionId: 'T-capture', amount: 30_000 });
  const { order } = folded([capture, asked('refund', { amount: 5 })]);
  const { opens } = whatIf(order, answered('refund', '4001'), 'refund');
  expect(opens).toEqual([{ operation: 'authorize', code: 'order_in_doubt' }]);
});

it('names nothing where the order has no operation, or the record is of none', () => {
  const office = notifiedElsewhere('refund', '0000', { transactionId: 'T-office', amount: 5 });
  const order = folded([office]).order;
  expect(whatIf(order, { ...office, at: 'later' }, undefined)).toMatchObject({
    opens: [],
    closes: [],
    conflictsWith: [],
  });
  expect(whatIf(doubtful, office, 'none').conflictsWith).toEqual([]);
  expect(whatIf(doubtful, office, undefined).conflictsWith).toEqual([]);
});

it('tells a conflict from what a report only adds, by the TRANSACTIONID that its operation has', () => {
  const nameless = operatorSays('authorize', 'succeeded');
  expect(whatIf(doubtful, nameless, 'authorize').conflictsWith).toEqual(['refused', 'not_executed']);
  const form = folded([asked('authorize', { method: 'A' }), answered('authorize', '0002')]).order;
  expect(whatIf(form, notified('authorize', '0003'), 'authorize').conflictsWith).toEqual(['not_executed']);
});
