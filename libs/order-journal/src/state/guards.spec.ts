import {
  answered,
  asked,
  authorized,
  captured,
  expired,
  folded,
  lost,
  notified,
  notifiedElsewhere,
} from '../../test/order-story.js';
import type { Change } from './history.js';
import { authorizationOf, judgeIntent, refundableAmount, refundableSources, type Judgement } from './guards.js';
import { findOperation, type Evidence, type OrderState, type Repair, type UnauthorizedOutcome } from './order-state.js';
import type { Intent, JournalRecord } from './records.js';

const orderOf = (records: readonly JournalRecord[], change: Partial<OrderState> = {}): OrderState => ({
  ...folded(records).order,
  ...change,
});
const judged = (order: OrderState, intent: Intent): Judgement =>
  judgeIntent({ order } as Change, findOperation(order, intent.commandId), intent);
const verdict = (order: OrderState, intent: Intent): string => judged(order, intent).verdict;

const office = (operation: string, amount?: number, transactionId = 'T-office') =>
  notifiedElsewhere(operation, '0000', { transactionId, amount });
const made = (...names: string[]): JournalRecord[] => names.flatMap((name) => [asked(name), answered(name, '0000')]);
const unseen = (change: Partial<UnauthorizedOutcome>): Partial<OrderState> => ({
  unauthorizedOutcomes: [{ commandId: 'lost', attempt: 1, token: 'lost#9', result: 'succeeded', ...change }],
});
const givenBack = (change: Partial<Repair> = {}): Partial<OrderState> => ({
  repairs: [{ transactionId: 'T-capture', amount: 10_000, reference: 'T-back', ...change }],
});

describe('a refused command is told why', () => {
  const captureOnly = [asked('capture', { transactionId: 'T-other' }), answered('capture', '0000')];
  it.each<[string, JournalRecord[], Intent, string, string]>([
    [
      'an operation in doubt',
      [asked('authorize'), lost('authorize')],
      asked('authorize-2'),
      'order_in_doubt',
      'Another operation of this order is in doubt',
    ],
    [
      'a live authorization',
      authorized,
      asked('authorize-2'),
      'authorization_live',
      'The order has a live authorization or payment; a redirect may be superseded by naming it, and one that succeeded after its void be voided again',
    ],
    [
      'a capture of a capture',
      captured,
      asked('capture-2', { transactionId: 'T-capture' }),
      'not_an_authorization',
      'Only authorizations can be captured',
    ],
    [
      'a capture of what was refused',
      [asked('authorize'), answered('authorize', '4001')],
      asked('capture'),
      'authorization_not_succeeded',
      'Only a succeeded authorization can be captured',
    ],
    [
      'a second capture',
      captured,
      asked('capture-2'),
      'already_captured',
      'An authorization can be captured once only',
    ],
    [
      'a capture after a void',
      [...authorized, ...made('void')],
      asked('capture'),
      'already_voided',
      'The authorization was voided',
    ],
    [
      'a capture of more',
      authorized,
      asked('capture', { amount: 30_001 }),
      'capture_exceeds_authorization',
      'At most 30000 can be captured',
    ],
    [
      'a refund of an authorization',
      authorized,
      asked('refund', { transactionId: 'T-authorize' }),
      'not_a_capture',
      'Only captures and card payments can be refunded',
    ],
    [
      'a refund of a refused capture',
      [...authorized, asked('capture'), answered('capture', '4001')],
      asked('refund'),
      'capture_not_succeeded',
      'Only a succeeded capture or card payment can be refunded',
    ],
    [
      'a refund of more',
      captured,
      asked('refund', { amount: 30_001 }),
      'refund_exceeds_remaining',
      'At most 30000 can be refunded',
    ],
    [
      'a refund of nothing',
      [...captured, asked('refund', { amount: 30_000 }), answered('refund', '0000')],
      asked('refund-2'),
      'refund_exceeds_remaining',
      'Nothing remains to be refunded',
    ],
    [
      'a void of a capture',
      captureOnly,
      asked('void', { transactionId: 'T-capture' }),
      'not_an_authorization',
      'Only authorizations can be voided',
    ],
    [
      'a void of what was refused',
      [asked('authorize'), answered('authorize', '4001')],
      asked('void'),
      'authorization_not_succeeded',
      'The authorization has failed: nothing is left to void',
    ],
    [
      'a void after a capture',
      captured,
      asked('void'),
      'already_captured',
      'A captured authorization can not be voided',
    ],
    [
      'a second void',
      [...authorized, ...made('void')],
      asked('void-2'),
      'already_voided',
      'The authorization was voided before',
    ],
  ])('%s', (_what, records, intent, code, message) => {
    expect(judged(orderOf(records), intent)).toEqual({ verdict: 'rejected', code, message });
  });

  it('an order that is frozen, by what froze it', () => {
    const messageOf = (change: Partial<OrderState>) =>
      judged(orderOf(authorized, { isFrozen: true, ...change }), asked('capture'));
    const broken = 'A record of this order could not be read, or contradicts the others: nothing is sent any more';
    const external = Array.from({ length: 200 }, (_, at) => ({ offset: `${at}`, result: 'succeeded' as const }));
    const refused = { verdict: 'rejected', code: 'order_frozen' };
    expect(messageOf({})).toEqual({ ...refused, message: broken });
    expect(messageOf({ rulesVersion: 2 })).toEqual({ ...refused, message: broken });
    expect(messageOf({ external })).toEqual({ ...refused, message: broken });
    expect(messageOf({ external, rulesVersion: 2 })).toMatchObject({
      message: expect.stringContaining('More than 200') as string,
    });
  });

  it('a refund that an assumed amount refuses may be tried again, and says so', () => {
    const assumed = [...authorized, asked('capture'), answered('capture', '0000')];
    const retried = { retryable: true, message: expect.stringContaining('so we assume its default') as string };
    expect(judged(orderOf(assumed), asked('refund', { amount: 30_001 }))).toMatchObject(retried);
    expect(judged(orderOf(captured), asked('refund', { amount: 30_001 }))).not.toHaveProperty('retryable');
    // The assumed capture is another one: only a refund made elsewhere, which may be of both, makes it matter.
    const two = [...assumed, asked('capture-2', { transactionId: 'T-x', amount: 100 }), answered('capture-2', '0000')];
    const ofSecond = asked('refund', { transactionId: 'T-capture-2', amount: 101 });
    expect(judged(orderOf(two), ofSecond)).not.toHaveProperty('retryable');
    expect(judged(orderOf([...two, office('refund', 1)]), ofSecond)).toMatchObject(retried);
  });
});

describe('a call that was never granted and may have succeeded', () => {
  it('lets its command not be sent, and another one be judged by the rest', () => {
    const order = orderOf(authorized, unseen({ commandId: 'capture' }));
    expect(judged(order, asked('capture'))).toEqual({
      verdict: 'rejected',
      code: 'order_in_doubt',
      message: 'A call of this command that was never granted may have succeeded',
    });
    expect(verdict(order, asked('capture-2'))).toBe('granted');
  });

  it.each<[string, Partial<UnauthorizedOutcome>, Intent, string]>([
    ['a payment, beside another payment', { operation: 'authorize' }, asked('authorize'), 'rejected'],
    ['nobody knows what, beside a payment', {}, asked('authorize'), 'rejected'],
    ['a refund, beside a payment', { operation: 'refund' }, asked('authorize'), 'granted'],
    [
      'a payment that two people call refused',
      { operation: 'authorize', settled: 'refused' },
      asked('authorize'),
      'granted',
    ],
    ['a payment that was refused', { operation: 'authorize', result: 'refused' }, asked('authorize'), 'granted'],
    [
      'a redirect that the payment names',
      { operation: 'authorize', result: 'redirect_required' },
      asked('authorize', { supersedes: 'lost' }),
      'granted',
    ],
    [
      'a success that the payment names',
      { operation: 'authorize' },
      asked('authorize', { supersedes: 'lost' }),
      'rejected',
    ],
  ])('was %s', (_what, outcome, intent, expected) =>
    expect(verdict(orderOf([], unseen(outcome)), intent)).toBe(expected),
  );

  it.each<[string, Partial<UnauthorizedOutcome>, string, string]>([
    ['a capture of the payment', { operation: 'capture', reference: 'T-authorize' }, 'capture-2', 'rejected'],
    ['a capture of another payment', { operation: 'capture', reference: 'T-x' }, 'capture-2', 'granted'],
    ['a void, before a capture', { operation: 'void', reference: 'T-authorize' }, 'capture-2', 'rejected'],
    ['a refund with that reference', { operation: 'refund', reference: 'T-authorize' }, 'capture-2', 'granted'],
    ['a capture, before a void', { operation: 'capture', reference: 'T-authorize' }, 'void-2', 'rejected'],
    ['a void, before a void', { operation: 'void', reference: 'T-authorize' }, 'void-2', 'rejected'],
  ])('counts for follow-ups: %s', (_what, outcome, name, expected) =>
    expect(verdict(orderOf(authorized, unseen(outcome)), asked(name))).toBe(expected),
  );

  it('of which neither names a payment is no follow-up of it', () => {
    const nameless = asked('capture', { transactionId: undefined });
    expect(verdict(orderOf([], unseen({ operation: 'capture' })), nameless)).toBe('granted');
  });

  it.each<[string, Partial<UnauthorizedOutcome>, number | undefined]>([
    ['of the capture', { operation: 'refund', reference: 'T-capture', amount: 500 }, 29_500],
    ['of another capture', { operation: 'refund', reference: 'T-x', amount: 500 }, 30_000],
    ['that is a void', { operation: 'void', reference: 'T-capture', amount: 500 }, 30_000],
    ['of an unknown amount', { operation: 'refund', reference: 'T-capture' }, undefined],
  ])('takes from what can be refunded: %s', (_what, outcome, left) =>
    expect(refundableAmount(orderOf(captured, unseen(outcome)), 'T-capture')).toBe(left),
  );

  it('counts once where its command succeeded under the same TRANSACTIONID', () => {
    const refund = [...captured, asked('refund', { amount: 500 }), answered('refund', '0000')];
    const own = { commandId: 'refund', operation: 'refund', reference: 'T-capture', amount: 500 } as const;
    const left = (records: JournalRecord[], transactionId: string) =>
      refundableAmount(orderOf(records, unseen({ ...own, transactionId })), 'T-capture');
    expect(left(refund, 'T-refund')).toBe(29_500);
    expect(left(refund, 'T-second')).toBe(29_000);
    const refused = [...captured, asked('refund', { amount: 500 }), answered('refund', '4001')];
    expect(left(refused, 'T-refund')).toBe(29_500);
  });
});

describe('a payment gives its place', () => {
  const form = [asked('authorize', { method: 'A' }), answered('authorize', '0002')];
  const second = asked('authorize-2', { method: 'A', supersedes: 'authorize' });
  const third = asked('authorize-3', { method: 'A', supersedes: 'authorize-2' });

  it('where another has taken it, and not where that one was refused its turn', () => {
    expect(verdict(orderOf([...form, second, answered('authorize-2', '0002')]), third)).toBe('granted');
    const order = orderOf(form);
    const [first] = order.operations;
    for (const [end, expected] of [
      ['rejected', 'rejected'],
      ['given_up', 'rejected'],
      ['not_executed', 'rejected'],
      ['refused', 'granted'],
    ] as const) {
      const other = { ...first!, commandId: 'authorize-2', supersedes: 'authorize', phase: 'ended' as const, end };
      expect([end, verdict({ ...order, operations: [first!, other] }, asked('authorize-3'))]).toEqual([end, expected]);
    }
  });

  it('not where it succeeded, whatever names it', () => {
    const both = [...form, second, answered('authorize-2', '0000')];
    expect(verdict(orderOf([...both, notified('authorize', '0000')]), third)).toBe('rejected');
  });

  it('in doubt only to an authorization whose merchant allows that, and that names it', () => {
    const doubt = [asked('authorize', { method: 'A' }), lost('authorize')];
    const allowed = { method: 'A', supersedesDoubt: true } as const;
    expect(verdict(orderOf(doubt), asked('authorize-2', { ...allowed, supersedes: 'authorize' }))).toBe('granted');
    expect(verdict(orderOf(doubt), asked('authorize-2', { ...allowed, supersedes: 'gone' }))).toBe('rejected');
    expect(verdict(orderOf(doubt), asked('authorize-2', { method: 'A', supersedes: 'authorize' }))).toBe('rejected');
  });
});

describe('a capture', () => {
  it('of an unknown amount, or without one, has no limit of ours', () => {
    const partly = [asked('authorize'), answered('authorize', '0004')];
    expect(verdict(orderOf(partly), asked('capture', { amount: 99_999 }))).toBe('granted');
    expect(judged(orderOf(authorized), asked('capture'))).toMatchObject({ verdict: 'granted', amount: 30_000 });
    expect(judged(orderOf(authorized), asked('void'))).toMatchObject({ verdict: 'granted', amount: undefined });
  });

  it('of a payment that was voided while it waited is refused beside any other payment that took money', () => {
    const voided = [asked('authorize', { method: 'A' }), answered('authorize', '0002'), ...made('void'), notified('authorize', '0000')]; // prettier-ignore
    const order = orderOf(voided, { rulesVersion: 2 });
    expect(verdict(order, asked('capture'))).toBe('granted');
    const paid = orderOf([...voided, office('pay', 30_000)], { rulesVersion: 2 });
    expect(verdict(paid, asked('capture'))).toBe('rejected');
  });

  it('or a void is refused once two people saw money of the payment given back', () => {
    const refused = { verdict: 'rejected', code: 'already_voided' };
    const ofPayment = { transactionId: 'T-authorize' };
    for (const repairs of [givenBack(ofPayment), givenBack({ ...ofPayment, isWhole: true })]) {
      expect(judged(orderOf(authorized, repairs), asked('void'))).toMatchObject(refused);
      expect(judged(orderOf(authorized, repairs), asked('capture'))).toMatchObject(refused);
    }
    expect(verdict(orderOf(authorized, givenBack({ transactionId: 'T-x' })), asked('void'))).toBe('granted');
    expect(verdict(orderOf([], givenBack(ofPayment)), asked('void'))).toBe('granted');
  });
});

describe('what can be refunded', () => {
  const paid = [asked('pay', { amount: 5000 }), answered('pay', '0000')];
  const captureOfPay = (amount: number, name = 'capture') => [
    asked(name, { transactionId: 'T-pay', amount }),
    answered(name, '0000', { amount }),
  ];
  const refund = (transactionId: string, amount: number, name = 'refund') => [
    asked(name, { transactionId, amount }),
    answered(name, '0000'),
  ];
  const left = (records: JournalRecord[], transactionId?: string, change: Partial<OrderState> = {}) =>
    refundableAmount(orderOf(records, change), transactionId);

  it('of a card payment and its captures is what the payment took, once', () => {
    const both = [...paid, ...captureOfPay(4000)];
    expect([left(both, 'T-pay'), left(both, 'T-capture')]).toEqual([5000, 4000]);
    const some = [...both, ...refund('T-capture', 1500)];
    expect([left(some, 'T-pay'), left(some, 'T-capture')]).toEqual([3500, 2500]);
    const more = [...some, ...refund('T-pay', 2000, 'refund-2')];
    expect([left(more, 'T-pay'), left(more, 'T-capture')]).toEqual([1500, 1500]);
  });

  it('of two captures of other payments is each by itself', () => {
    const two = [...captured, asked('capture-2', { transactionId: 'T-x', amount: 100 }), answered('capture-2', '0000')];
    const some = [...two, ...refund('T-capture-2', 60)];
    expect([left(some, 'T-capture'), left(some, 'T-capture-2')]).toEqual([30_000, 40]);
  });

  it('is not known of a source that the order does not show, nor of no source', () => {
    expect([left(captured, 'T-x'), left(captured), left([office('capture', 7)])]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(left([notifiedElsewhere('capture', '0000', { amount: 7 })])).toBeUndefined();
  });

  it('is less what two people saw given back of the very source', () => {
    expect(left(captured, 'T-capture', givenBack())).toBe(20_000);
    expect(left(captured, 'T-capture', givenBack({ transactionId: 'T-x' }))).toBe(30_000);
  });

  it('counts a refund made elsewhere once, also where people named it, or it waits to be matched', () => {
    const told = [...captured, office('refund', 1000, 'T-back')];
    expect(left(told, 'T-capture')).toBe(29_000);
    expect(left(told, 'T-capture', givenBack())).toBe(20_000);
    expect(left(told, 'T-capture', givenBack({ reference: 'T-other' }))).toBe(19_000);
    const report = { source: 'notification', result: 'succeeded', answer: { transactionId: 'T-held', amount: 700 } };
    const held = (change: object) =>
      left(captured, 'T-capture', { unmatchedEvidence: [{ ...report, operation: 'refund', ...change } as Evidence] });
    expect(held({})).toBe(29_300);
    expect(held({ operation: 'void' })).toBe(30_000);
    expect(held({ answer: { amount: 700 } })).toBe(30_000);
    const { external } = orderOf([...captured, office('refund', 700, 'T-held')]);
    expect(left(captured, 'T-capture', { external, unmatchedEvidence: [{ ...report, operation: 'refund' } as Evidence] })).toBe(29_300); // prettier-ignore
  });

  it('of several sources together is less what was refunded elsewhere, unless a refund is of a source that is not seen', () => {
    const two = [...captured, asked('capture-2', { transactionId: 'T-x', amount: 100 }), answered('capture-2', '0000')];
    const told = [...two, office('refund', 30_050)];
    expect(verdict(orderOf(told), asked('refund', { amount: 50 }))).toBe('granted');
    expect(verdict(orderOf(told), asked('refund', { amount: 51 }))).toBe('rejected');
    const unseenToo = [...told, asked('refund', { transactionId: 'T-gone', amount: 5 }), answered('refund', '0000')];
    expect(verdict(orderOf(unseenToo), asked('refund-2', { amount: 51 }))).toBe('granted');
    expect([left(told, 'T-capture'), left(two, 'T-capture')]).toEqual([undefined, 30_000]);
    const ofBoth = [...paid, ...captureOfPay(4000), office('refund', 4500)];
    expect(verdict(orderOf(ofBoth), asked('refund', { amount: 500 }))).toBe('granted');
    expect(verdict(orderOf(ofBoth), asked('refund', { amount: 501 }))).toBe('rejected');
  });

  it('lists the sources of which money is left, a card payment by its capture', () => {
    const ids = (records: JournalRecord[]) =>
      refundableSources(orderOf(records)).map(({ transactionId }) => transactionId);
    expect(ids([...paid, ...captureOfPay(5000)])).toEqual(['T-capture']);
    expect(ids(paid)).toEqual(['T-pay']);
    expect(ids([...paid, ...refund('T-pay', 5000)])).toEqual([]);
    expect(ids([...captured, notified('capture', '4001')])).toEqual(['T-capture']);
    expect(ids([asked('pay'), answered('pay', '4001')])).toEqual([]);
    expect(ids([...paid, notifiedElsewhere('capture', '0000')])).toEqual(['T-pay', undefined]);
    expect(ids([office('capture', 500), notifiedElsewhere('capture', '4001', { transactionId: 'T-office' })])).toEqual(['T-office']); // prettier-ignore
  });
});

describe('a capture or void made elsewhere is of the only authorization that it can be of', () => {
  const of = (records: JournalRecord[], operation = 'capture', change: Partial<OrderState> = {}) =>
    authorizationOf(orderOf(records, change), { operation, answer: {} } as unknown as Evidence);
  const form = [asked('authorize', { method: 'A' }), answered('authorize', '0002')];
  const second = [asked('authorize-2', { method: 'A', supersedes: 'authorize' }), answered('authorize-2', '0002')];

  it.each<[string, JournalRecord[], string | undefined]>([
    ['one that succeeded', authorized, 'authorize'],
    ['one that waits', form, 'authorize'],
    ['one in doubt', [asked('authorize'), lost('authorize')], 'authorize'],
    ['one that was refused', [asked('authorize'), answered('authorize', '4001')], undefined],
    ['one that only our timer ended', [...form, expired('authorize')], 'authorize'],
    ['one of two', [...form, ...second], undefined],
    ['one beside one that was refused', [...form, ...second, notified('authorize', '4001')], 'authorize-2'],
    ['one that was captured', captured, undefined],
    ['one that was voided', [...authorized, ...made('void')], undefined],
    [
      'one that succeeded twice',
      [...authorized, notified('authorize', '0000', { answer: { transactionId: 'T-b' } })],
      undefined,
    ],
    ['one beside an authorization made elsewhere', [...authorized, office('authorize', 5)], undefined],
    ['one beside a refund made elsewhere', [...authorized, office('refund', 5)], 'authorize'],
    ['a card payment', made('pay'), undefined],
    ['none', [], undefined],
  ])('%s', (_what, records, expected) => expect(of(records)).toBe(expected));

  it('and a refund is of none, nor anything of an order whose beginning is gone', () => {
    expect([of(authorized, 'void'), of(authorized, 'refund')]).toEqual(['authorize', undefined]);
    expect(of(authorized, 'capture', { isPartial: true })).toBeUndefined();
  });
});
