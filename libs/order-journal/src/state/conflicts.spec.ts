import { corpusJournals } from '../../test/corpus-journals.js';
import {
  answered,
  asked,
  authorized,
  captured,
  expired,
  folded,
  notified,
  notifiedElsewhere,
} from '../../test/order-story.js';
import { conflictReasonOf, conflictsOf } from './conflicts.js';
import { fold } from './fold.js';
import { emptyOrder } from './order-state.js';
import type { JournalRecord } from './records.js';

const twice = [
  ...[asked('authorize', { method: 'A' }), answered('authorize', '0003'), expired('authorize')],
  ...[asked('authorize-2', { method: 'A', supersedes: 'authorize' }), answered('authorize-2', '0000')],
  notified('authorize', '0000'),
];
const shown = (records: readonly JournalRecord[]) =>
  conflictsOf(folded(records).order).map(({ reason, commandId }) => `${reason} ${commandId ?? '-'}`);

it.each<[string, JournalRecord[], string[]]>([
  ['two payments that succeeded', twice, ['two_payments_succeeded authorize-2', 'other_result authorize']],
  [
    'one authorization that succeeded under two TRANSACTIONIDs',
    [...authorized, notified('authorize', '0000', { answer: { transactionId: 'T-second' } })],
    ['two_payments_succeeded authorize', 'other_result authorize'],
  ],
  [
    'a payment made elsewhere beside ours',
    [...authorized, notifiedElsewhere('pay', '0000', { transactionId: 'T-office' })],
    ['two_payments_succeeded -'],
  ],
  [
    'a payment of ours beside one made elsewhere',
    [notifiedElsewhere('authorize', '0000', { transactionId: 'T-office' }), ...authorized],
    ['two_payments_succeeded -'],
  ],
  ['another amount', [...captured, notified('capture', '0000', { answer: { amount: 12 } })], ['other_amount capture']],
  ['another currency', [...captured, notified('capture', '0000', { currency: 'USD' })], ['other_currency capture']],
  ['two results', [...captured, notified('capture', '4001')], ['other_result capture']],
  [
    'a call that was never granted',
    [asked('pay'), answered('pay', '0000'), answered('pay', '4001', {}, 2)],
    ['never_granted pay'],
  ],
  [
    'two results of an operation made elsewhere',
    [
      ...captured,
      notifiedElsewhere('refund', '0000', { transactionId: 'T-office' }),
      notifiedElsewhere('refund', '4001', { transactionId: 'T-office' }),
    ],
    ['other_result -'],
  ],
  ['nothing that contradicts', captured, []],
])('an order shows %s, and published it', (_what, records, conflicts) => {
  expect(shown(records)).toEqual(conflicts);
  const { bodies, events } = folded(records);
  const published = bodies
    .filter((_, at) => events[at] === 'conflict.detected')
    .map(({ flags }) => conflictReasonOf(flags));
  expect(published).toEqual(conflicts.length > 0 ? [conflicts[0]?.split(' ')[0]] : []);
});

it('a second payment has what a person needs to give it back, and is none once it was voided', () => {
  expect(conflictsOf(folded(twice).order)[0]?.payments).toEqual([
    { commandId: 'authorize', transactionId: 'T-authorize', amount: 30_000 },
    { commandId: 'authorize-2', transactionId: 'T-authorize-2', amount: 30_000 },
  ]);
  const voided = [...twice, asked('void', { transactionId: 'T-authorize-2' }), answered('void', '0000')];
  expect(shown(voided)).toEqual(['other_result authorize']);
  expect(shown(authorized)).toEqual([]);
});

it('one TRANSACTIONID under two OPERATIONTYPEs is one payment', () => {
  const asAnother = notifiedElsewhere('authorize', '0000', { transactionId: 'T-pay', amount: 30_000 });
  for (const records of [
    [asked('pay'), answered('pay', '0000'), asAnother],
    [asked('pay'), asAnother, answered('pay', '0000')],
  ])
    expect(shown(records)).toEqual([]);
});

it('every order of the corpus that published a conflict shows one, and no other does', () => {
  let orders = 0;
  for (const { name, records, merchant, orderId } of corpusJournals()) {
    let order = emptyOrder(merchant, orderId);
    let hasPublished = false;
    for (const { offset, record } of records) {
      const { order: next, effects } = fold(order, record, offset);
      order = next;
      hasPublished ||= effects.some(({ event }) => event.type === 'payment.conflict.detected');
    }
    const isVoided = order.operations.some(({ operation, end }) => operation === 'void' && end === 'succeeded');
    if (isVoided) continue;
    orders += 1;
    expect([name, conflictsOf(order).length > 0]).toEqual([name, hasPublished]);
  }
  expect(orders).toBeGreaterThan(30);
});

it.each([
  [['was_refused', 'said_succeeded', 'two_payments_succeeded'], 'two_payments_succeeded'],
  [['never_granted', 'was_idle', 'said_succeeded'], 'never_granted'],
  [['other_amount'], 'other_amount'],
  [['other_currency'], 'other_currency'],
  [['was_succeeded', 'said_refused'], 'other_result'],
  [undefined, 'other_result'],
])('the flags %j are counted as %s', (flags, reason) => expect(conflictReasonOf(flags)).toBe(reason));
