import {
  answered,
  asked,
  authorized,
  captured,
  folded,
  notified,
  notifiedElsewhere,
  START,
  under,
} from '../../test/order-story.js';
import { conflictsOf, type ConflictReason } from './conflicts.js';
import type { Change } from './history.js';
import { findOperation, type OrderState } from './order-state.js';
import type { JournalRecord, Settled } from './records.js';
import { settle } from './settlement.js';

const after = (...records: JournalRecord[]): OrderState => folded(records).order;
const { merchant, orderId } = asked('pay');
const paid = [asked('pay'), answered('pay', '0000')];
const paidThenRefused = after(...paid, notified('pay', '4001'));
const refusedThenPaid = after(asked('pay'), answered('pay', '4001'), notified('pay', '0000'));
const otherAmount = after(...captured, notified('capture', '0000', { answer: { amount: 25_000 } }));
const office = (operation: string, code: string, answer: object = {}) =>
  notifiedElsewhere(operation, code, { transactionId: 'T-office', amount: 1_000, ...answer });
const bothInOffice = after(...captured, office('refund', '0000'), office('refund', '4001'));
const paidTwice = after(...paid, office('pay', '0000', { amount: 30_000 }));

const says = (order: OrderState, reason: ConflictReason, what: Partial<Settled> = {}): Settled => ({
  ...{ record: 'SETTLED', rulesVersion: 2, merchant, orderId, at: START, seen: '', outcome: 'kept' },
  ...{ conflict: conflictsOf(order).find((one) => one.reason === reason)!.id },
  ...{ actor: 'alice', approvedBy: 'bob', reason: 'seen in the books', proposal: 'p-1' },
  ...what,
});
const made = (order: OrderState, reason: ConflictReason, what: Partial<Settled> = {}) =>
  settle({ order, events: [], at: START, hash: 'h', match: 'whole' }, says(order, reason, what));
const settled = (order: OrderState, reason: ConflictReason, what: Partial<Settled> = {}): Change => {
  const change = made(order, reason, what);
  if (typeof change === 'string') throw new Error(change);
  return change;
};
const bodyOf = ({ events }: Change) => events.at(-1)!.event.body;
const back = (amount: number, what: Partial<Settled> = {}) =>
  ({ outcome: 'repaired', amount, reference: 'T-back', ...what }) as const;

describe('a statement has no effect', () => {
  const waiting = after(asked('pay'), answered('pay', '0001'), notified('pay', '5001'));

  it.each<[string, OrderState, ConflictReason, Partial<Settled>]>([
    ['one_person', refusedThenPaid, 'other_result', { approvedBy: 'alice' }],
    ['conflict_unknown', refusedThenPaid, 'other_result', { conflict: 'none' }],
    ['operation_not_ended', waiting, 'other_result', { result: 'refused' }],
    ['result', refusedThenPaid, 'other_result', {}],
    ['transactionId', refusedThenPaid, 'other_result', { result: 'succeeded', transactionId: 'T-unknown' }],
    ['amount', otherAmount, 'other_amount', { result: 'succeeded' }],
    ['amount', paidThenRefused, 'other_result', back(0)],
    ['amount', paidThenRefused, 'other_result', back(-1)],
    ['amount', paidThenRefused, 'other_result', { outcome: 'repaired', reference: 'T-back' }],
    ['reference', paidThenRefused, 'other_result', { outcome: 'repaired', amount: 5 }],
  ])('and says why: %s', (why, order, reason, what) => {
    expect(made(order, reason, what)).toBe(why);
  });

  it('of a success under a reference that names other money, or of none', () => {
    const once = { ...paidThenRefused, repairs: [{ transactionId: 'T-x', amount: 5, reference: 'T-back' }] };
    expect(made(once, 'other_result', back(5))).toBe('reference');
    expect(made(once, 'other_result', back(5, { reference: 'T-other' }))).toBeInstanceOf(Object);
    const nameless = after(asked('pay'), answered('pay', '0000', { transactionId: undefined }), {
      ...notified('pay', '4001'),
      answer: { execCode: '4001' },
      tag: undefined,
      commandId: 'pay',
    });
    expect(conflictsOf(nameless)).toHaveLength(1);
    expect(made(nameless, 'other_result', back(5))).toBe('transactionId');
  });

  it('of an amount that is disputed needs the one that stands', () => {
    const share = (amount: number) => notified('capture', '0004', { answer: { amount } });
    const disputed = after(...authorized, asked('capture'), answered('capture', '0004', { amount: 9 }), share(8));
    const [{ reason } = { reason: 'other_amount' as const }] = conflictsOf(disputed);
    expect(made(disputed, reason, { result: 'succeeded' })).toBe('amount');
    expect(settled(disputed, reason, { result: 'refused' }).order.operations[1]?.end).toBe('refused');
    expect(settled(disputed, reason, { result: 'succeeded', amount: 8 }).order.operations[1]).toMatchObject({
      amount: 8,
    });
  });
});

describe('a result that stands', () => {
  it('is that of its operation, which nothing contradicts any more', () => {
    const { order } = settled(paidThenRefused, 'other_result', { result: 'refused' });
    const operation = findOperation(order, 'pay')!;
    expect(operation.end).toBe('refused');
    for (const name of [
      'conflictingReports',
      'mayYetSucceed',
      'isTransactionAssumed',
      'otherAmounts',
      'isAmountDisputed',
    ])
      expect(operation).not.toHaveProperty(name);
    expect(order.settled).toEqual([...conflictsOf(paidThenRefused)[0]!.facts, '["amount","pay",30000]']);
  });

  it('binds the TRANSACTIONID that a report named', () => {
    const told = notified('authorize', '0000', { answer: { transactionId: 'T-2' } });
    const other = after(asked('authorize'), answered('authorize', '4001'), told);
    for (const transactionId of ['T-authorize', 'T-2'])
      expect(settled(other, 'other_result', { result: 'succeeded', transactionId }).order.operations[0]).toMatchObject({
        ...{ transactionId, end: 'succeeded' },
      });
    const unnamed = settled(other, 'other_result', { result: 'succeeded' });
    expect(unnamed.order.operations[0]?.transactionId).toBe('T-authorize');
  });

  it('may have a TRANSACTIONID that no report named where none named any', () => {
    const { operations, ...order } = refusedThenPaid;
    const bare = operations.map(({ transactionId: _id, ...one }) => ({
      ...one,
      attempts: one.attempts.map(({ transactionId: _own, ...attempt }) => attempt),
      conflictingReports: one.conflictingReports!.map(({ transactionId: _told, ...report }) => report),
    }));
    const nameless = { ...order, operations: bare };
    const change = settled(nameless, 'other_result', { result: 'succeeded', transactionId: 'T-seen' });
    expect(change.order.operations[0]?.transactionId).toBe('T-seen');
  });

  it('has the amount that is stated, and needs none where reports agree', () => {
    const amount = (what: Partial<Settled>) =>
      settled(refusedThenPaid, 'other_result', { result: 'succeeded', ...what }).order.operations[0];
    expect(amount({})).toMatchObject({ amount: 30_000 });
    expect(amount({ amount: 12 })).toMatchObject({ amount: 12 });
    const { isAmountAssumed } = settled(otherAmount, 'other_amount', { result: 'succeeded', amount: 25_000 }).order
      .operations[1]!;
    expect(isAmountAssumed).toBeUndefined();
  });

  it('is told with what it is, and the command’s latest event is that one where its end is another', () => {
    const changed = settled(paidThenRefused, 'other_result', { result: 'refused' });
    expect(bodyOf(changed)).toMatchObject({
      ...{ commandId: 'pay', settlement: 'kept', outcome: 'refused', origin: 'operator', flags: ['other_result'] },
    });
    for (const name of ['repairedAmount', 'repairReference']) expect(bodyOf(changed)).not.toHaveProperty(name);
    expect(changed.order.operations[0]?.latest?.type).toBe('payment.conflict.settled');
    const same = settled(paidThenRefused, 'other_result', { result: 'succeeded' });
    expect(same.order.operations[0]?.latest?.type).toBe('payment.pay.succeeded');
  });

  it('of a call that was never granted is that of its command alone', () => {
    const stray = (name: string) => answered(name, '4001', { transactionId: `T-stray-${name}` }, 2);
    const order = after(...paid, stray('pay'), { ...stray('pay'), commandId: 'pay-9', token: 'pay-9#2' });
    expect(order.unauthorizedOutcomes?.map(({ commandId }) => commandId)).toEqual(['pay', 'pay-9']);
    const { id } = conflictsOf(order).find((one) => one.reason === 'never_granted' && one.commandId === 'pay')!;
    const stated = (result: Settled['result']) =>
      settled(order, 'never_granted', { conflict: id, result }).order.unauthorizedOutcomes!.map((one) => one.settled);
    expect([stated('refused'), stated('not_executed'), stated('succeeded')]).toEqual([
      ['refused', undefined],
      ['refused', undefined],
      ['succeeded', undefined],
    ]);
  });

  it('of the back office overrules the opposite reports of its TRANSACTIONID alone', () => {
    const other = office('refund', '0000', { transactionId: 'T-more' });
    const order = after(...captured, other, office('refund', '0000'), office('refund', '4001'));
    const overruled = (result: Settled['result']) =>
      settled(order, 'other_result', { result }).order.external.map((one) => one.isOverruled);
    expect([overruled('refused'), overruled('succeeded')]).toEqual([
      [undefined, true, undefined],
      [undefined, undefined, true],
    ]);
    const { events } = settled(order, 'other_result', { result: 'refused' });
    expect(events[0]!.event.body).toMatchObject({ transactionId: 'T-office', outcome: 'refused' });
    expect(events[0]!.event.body).not.toHaveProperty('commandId');
  });

  it('is told with its kind where the back office made it, and with its command where no more is known', () => {
    const ofOffice = bodyOf(settled(bothInOffice, 'other_result', { result: 'refused' }));
    expect(ofOffice).toMatchObject({ operation: 'refund', transactionId: 'T-office' });
    const lone = after(...paid, { ...answered('pay', '0000'), commandId: 'pay-9', token: 'pay-9#1' });
    const ofCall = bodyOf(settled(lone, 'never_granted', { result: 'refused' }));
    expect([ofCall.commandId, 'operation' in ofCall]).toEqual(['pay-9', false]);
  });

  it('is told as no repair, though its amount is stated', () => {
    const body = bodyOf(
      settled(otherAmount, 'other_amount', { result: 'succeeded', amount: 25_000, reference: 'T-x' }),
    );
    expect(body).toMatchObject({ settlement: 'kept', amount: 25_000 });
    for (const name of ['repairedAmount', 'repairReference']) expect(body).not.toHaveProperty(name);
  });

  it('may be several payments, which stay as they are', () => {
    const { order, events } = settled(paidTwice, 'two_payments_succeeded');
    expect([order.operations, order.external]).toEqual([paidTwice.operations, paidTwice.external]);
    expect(events[0]!.event.body.flags).toEqual(['two_payments_succeeded']);
    const form = [
      asked('authorize', { method: 'A' }),
      answered('authorize', '0002'),
      asked('void'),
      answered('void', '0000'),
    ];
    const late = after(...under(2, ...form, notified('authorize', '0000')));
    expect(settled(late, 'paid_after_void').order.operations).toEqual(late.operations);
  });
});

describe('money that was given back', () => {
  const repair = (order: OrderState, reason: ConflictReason, what: Partial<Settled>) =>
    settled(order, reason, what).order.repairs!.at(-1)!;

  it('is of the success that is named, or of the one of the conflict', () => {
    expect(repair(paidThenRefused, 'other_result', back(5))).toEqual({
      transactionId: 'T-pay',
      amount: 5,
      reference: 'T-back',
    });
    expect(repair(paidTwice, 'two_payments_succeeded', back(5, { transactionId: 'T-office' })).transactionId).toBe(
      'T-office',
    );
  });

  it('is told with its amount and its reference', () => {
    const { order, events } = settled(paidThenRefused, 'other_result', back(5, { transactionId: 'T-pay' }));
    expect(events[0]!.event.body).toMatchObject({
      ...{
        commandId: 'pay',
        settlement: 'repaired',
        repairedAmount: 5,
        repairReference: 'T-back',
        transactionId: 'T-pay',
      },
    });
    expect(order.operations).toEqual(paidThenRefused.operations);
  });

  it('is the whole once all repairs of the same success reach the most that any report names', () => {
    const isWhole = (order: OrderState, reason: ConflictReason, amount: number, transactionId: string) =>
      repair(order, reason, back(amount, { transactionId })).isWhole;
    expect([
      isWhole(paidThenRefused, 'other_result', 29_999, 'T-pay'),
      isWhole(paidThenRefused, 'other_result', 30_000, 'T-pay'),
    ]).toEqual([undefined, true]);
    const before = (transactionId: string) => ({
      ...paidThenRefused,
      repairs: [{ transactionId, amount: 29_990, reference: 'first' }],
    });
    expect([
      isWhole(before('T-pay'), 'other_result', 10, 'T-pay'),
      isWhole(before('T-x'), 'other_result', 10, 'T-pay'),
    ]).toEqual([true, undefined]);
    expect([
      isWhole(otherAmount, 'other_amount', 25_000, 'T-capture'),
      isWhole(otherAmount, 'other_amount', 30_000, 'T-capture'),
    ]).toEqual([undefined, true]);
    expect(isWhole(paidTwice, 'two_payments_succeeded', 30_000, 'T-office')).toBe(true);
    expect(isWhole(paidTwice, 'two_payments_succeeded', 29_999, 'T-office')).toBeUndefined();
  });

  it('is never known to be the whole of what no report or command names an amount', () => {
    const isWhole = (order: OrderState, transactionId: string) =>
      repair(order, conflictsOf(order)[0]!.reason, back(9_999_999, { transactionId })).isWhole;
    expect(isWhole(paidThenRefused, 'T-nobody')).toBeUndefined();
    const unknown = after(...paid, notifiedElsewhere('pay', '0000', { transactionId: 'T-office' }));
    expect(isWhole(unknown, 'T-office')).toBeUndefined();
    expect(isWhole(unknown, 'T-pay')).toBe(true);
  });

  it('is counted of a success that only another report of an operation names, and of a call that was never granted', () => {
    const second = after(...authorized, notified('authorize', '0000', { answer: { transactionId: 'T-second' } }));
    expect(repair(second, 'two_payments_succeeded', back(30_000, { transactionId: 'T-second' })).isWhole).toBe(true);
    const stray = after(...paid, answered('pay', '0000', { transactionId: 'T-stray', amount: 40_000 }, 2));
    const of = (amount: number) => repair(stray, 'never_granted', back(amount, { transactionId: 'T-stray' })).isWhole;
    expect([of(39_999), of(40_000)]).toEqual([undefined, true]);
  });
});

it('the facts of every conflict that was settled are kept, each once', () => {
  const before = { ...bothInOffice, settled: ['earlier'] };
  const { settled: facts } = settled(before, 'other_result', { result: 'refused' }).order;
  expect(facts?.[0]).toBe('earlier');
  expect(new Set(facts).size).toBe(facts!.length);
  expect(facts).toEqual(['earlier', ...conflictsOf(bothInOffice)[0]!.facts]);
});
