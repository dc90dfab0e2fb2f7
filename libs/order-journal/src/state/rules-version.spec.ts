import {
  answered,
  asked,
  expired,
  folded,
  lost,
  notExecuted,
  notified,
  notifiedElsewhere,
  operatorSays,
  standing,
  under,
} from '../../test/order-story.js';
import { fold } from './fold.js';
import { hasTaken, refundableAmount } from './guards.js';
import { emptyOrder, findOperation, verdictOf, type OrderState } from './order-state.js';
import { decodeRecord, encodeRecord, type JournalRecord } from './records.js';
import { RULES_VERSIONS } from './rules-version.js';

const told = ({ events, bodies }: ReturnType<typeof folded>, type: string) =>
  bodies.filter((_, at) => events[at] === type);
const verdict = (records: JournalRecord[], intent: JournalRecord & { token: string }) =>
  verdictOf(folded([...records, intent]).order, intent.token);

const paid = [asked('authorize'), answered('authorize', '0000')];
const captured = [...paid, asked('capture'), answered('capture', '0000')];
const refundOfAuthorization = asked('refund', { transactionId: 'T-authorize', amount: 20_000 });

describe('which version judges', () => {
  it.each(RULES_VERSIONS)('reads what was written under version %i', (rulesVersion) => {
    expect(decodeRecord(encodeRecord({ ...asked('authorize'), rulesVersion }))).toMatchObject({ rulesVersion });
  });

  it.each([0, 7, 1.5, '2', undefined])('stops at version %s, in a record and in a state', (rulesVersion) => {
    const record = { ...asked('authorize'), rulesVersion } as JournalRecord;
    expect(() => decodeRecord(encodeRecord(record))).toThrow('this release knows 1, 2, 3, 4, 5, 6');
    expect(() => fold(emptyOrder('shop-fr', 'order-1'), record, 0n)).toThrow('this release knows 1, 2, 3, 4, 5, 6');
    if (rulesVersion !== 7) return;
    const order = { ...folded(paid).order, rulesVersion } as unknown as ReturnType<typeof emptyOrder>;
    expect(() => fold(order, asked('capture'), 9n)).toThrow('rules version 7');
  });

  it('is the highest of the order so far: an older writer takes no rule back', () => {
    const [authorize, ...rest] = captured;
    const order = [...under(2, authorize!), ...rest];
    expect(folded(order).order.rulesVersion).toBe(2);
    expect(verdict(order, refundOfAuthorization)).toBe('rejected');
  });

  it('is the one of the record itself where that is the first of a version', () => {
    expect(verdict(captured, refundOfAuthorization)).toBe('granted');
    expect(verdict(captured, { ...refundOfAuthorization, rulesVersion: 2 })).toBe('rejected');
  });

  it('leaves what was judged before as it was judged', () => {
    const before = folded([...captured, refundOfAuthorization]).order;
    const after = folded(under(2, { ...answered('refund', '0000'), token: 'refund#1' }), before).order;
    expect([verdictOf(after, 'refund#1'), standing(after, 'refund')]).toEqual(['granted', 'ended succeeded']);
  });

  it('leaves no trace in the state of an order of version 1', () => {
    expect(JSON.stringify(folded(captured).order)).not.toContain('rulesVersion');
  });

  it('goes with an order that is forgotten: nothing remains of it', () => {
    const { order } = folded(under(2, ...captured));
    const at = new Date(Date.parse(captured[0]!.at) + 40 * 86_400_000).toISOString();
    const { merchant, orderId, lastOffset } = order;
    const forgotten = fold(
      order,
      { record: 'FORGOTTEN', rulesVersion: 1, merchant, orderId, at, lastOffset },
      BigInt(lastOffset) + 1n,
    );
    expect(forgotten.order).toEqual(emptyOrder('shop-fr', 'order-1'));
  });
});

describe('version 2: an OUTCOME whose token was never granted', () => {
  const stray = (name: string, execCode: string, change = {}) => ({
    ...answered(name, execCode, { transactionId: `T-stray-${name}`, ...change }),
    token: `${name}#stray`,
  });
  // The first call is open: `pay` is judged busy, and somebody sends it all the same.
  const busy = [asked('authorize'), asked('pay', { token: 'pay#stray' })];

  it.each([
    ['of a busy intent', [...busy, stray('pay', '0000')], 'was_busy'],
    ['of a token that no intent has', [...paid, stray('refund', '0000')], 'was_unknown'],
    ['of a rejected intent', [...paid, asked('authorize-2'), stray('authorize-2', '0000')], 'was_rejected'],
    ['beside the success of its own operation', [...paid, stray('authorize', '0000')], 'was_succeeded'],
    ['of a doubtful operation', [asked('authorize'), lost('authorize'), stray('authorize', '0000')], 'was_in_doubt'],
    ['that is a refusal', [...paid, asked('authorize-2'), stray('authorize-2', '4001')], 'was_rejected'],
    [
      'that is a redirect',
      [...paid, asked('authorize-2'), stray('authorize-2', '0002', { redirectHtml: 'PGh0bWw+' })],
      'was_rejected',
    ],
  ])('is a conflict, once: %s', (_name, records, was) => {
    expect(told(folded(records), 'conflict.detected')).toEqual([]);
    const twice = under(2, ...records, records.at(-1)!);
    const conflicts = told(folded(twice), 'conflict.detected');
    expect(conflicts).toHaveLength(1);
    expect(conflicts[0]).toMatchObject({
      origin: 'answer',
      flags: expect.arrayContaining([was, 'never_granted']) as string[],
    });
    expect(conflicts[0]?.redirectHtml).toBeUndefined();
  });

  it('is none where the order’s history is not whole: its grant may be among what is missing', () => {
    const begun = under(2, answered('authorize', '0000'), stray('authorize-2', '0000'));
    expect(folded(begun).events).toEqual([]);
  });

  it('counts as a payment that may have succeeded, whatever its operation is', () => {
    const order = [
      asked('authorize'),
      asked('pay', { token: 'pay#stray' }),
      answered('authorize', '4001'),
      stray('pay', '0000'),
    ];
    expect(verdict(order, asked('authorize-2'))).toBe('granted');
    expect(verdict(under(2, ...order), asked('authorize-2'))).toBe('rejected');
    // The same command again: a second call of it.
    expect(verdict(under(2, ...order), asked('pay', { token: 'pay#2' }))).toBe('rejected');
    expect(verdict(under(2, ...order.slice(0, 3), stray('pay', '4001')), asked('authorize-2'))).toBe('granted');
  });

  it('a redirect among them may be superseded by naming it, and stands in the way else', () => {
    const order = under(
      2,
      asked('authorize'),
      asked('pay', { token: 'pay#stray' }),
      answered('authorize', '4001'),
      stray('pay', '0001'),
    );
    expect(verdict(order, asked('authorize-2'))).toBe('rejected');
    expect(verdict(order, asked('authorize-2', { supersedes: 'pay' }))).toBe('granted');
  });

  it('ends what waits for its next attempt: it was executed', () => {
    const order = under(2, asked('authorize'), notExecuted('authorize'), stray('authorize', '0000'));
    const { order: after, events } = folded([...order, stray('authorize', '0000')]);
    expect([standing(after, 'authorize'), events]).toEqual([
      'ended succeeded',
      ['conflict.detected', 'authorize.succeeded'],
    ]);
    expect(verdict(order, asked('authorize', { attempt: 2, token: 'next' }))).toBe('lost');
  });

  it('binds its TRANSACTIONID, so that its notification is no operation of somebody else and no second conflict', () => {
    const order = under(2, ...paid, asked('pay', { token: 'pay#stray' }), stray('pay', '0000'));
    const after = folded([...order, notified('pay', '0000', { answer: { transactionId: 'T-stray-pay' } })]);
    expect(after.events.filter((type) => type !== 'authorize.succeeded')).toEqual([
      'pay.rejected',
      'conflict.detected',
    ]);
    expect(hasTaken(after.order, findOperation(after.order, 'pay')!)).toBe(true);
  });

  it('a refund, capture or void among them counts as done', () => {
    const refused = (name: string) => [
      asked(name, { seen: undefined, amount: 90_000 }),
      stray(name, '0000', { amount: 25_000 }),
    ];
    const refunded = [...captured, ...refused('refund')];
    expect(standing(folded(refunded).order, 'refund')).toBe('ended rejected');
    expect(verdict(refunded, asked('refund-2', { amount: 10_000 }))).toBe('granted');
    expect(verdict(under(2, ...refunded), asked('refund-2', { amount: 10_000 }))).toBe('rejected');
    expect(verdict(under(2, ...refunded), asked('refund-2', { amount: 5_000 }))).toBe('granted');
    const capturedUngranted = [...paid, ...refused('capture')];
    expect(verdict(capturedUngranted, asked('capture-2'))).toBe('granted');
    expect(verdict(under(2, ...capturedUngranted), asked('capture-2'))).toBe('rejected');
    expect(verdict(under(2, ...capturedUngranted), asked('void'))).toBe('rejected');
  });
});

describe('version 2: a reference that is known and can not be followed so', () => {
  it.each([
    ['a refund of an authorization', captured, asked('refund', { transactionId: 'T-authorize' }), 'not_a_capture'],
    [
      'a refund of a refund',
      [...captured, asked('refund'), answered('refund', '0000')],
      asked('refund-2', { transactionId: 'T-refund' }),
      'not_a_capture',
    ],
    ['a capture of a capture', captured, asked('capture-2', { transactionId: 'T-capture' }), 'not_an_authorization'],
  ])('%s is rejected', (_name, records, intent, code) => {
    expect(verdict(records, intent)).toBe('granted');
    const { order, bodies } = folded(under(2, ...records, intent));
    expect(verdictOf(order, intent.token)).toBe('rejected');
    expect(bodies.at(-1)?.faults).toEqual([expect.objectContaining({ code })]);
  });

  it.each([
    ['a refund of what the order does not show', captured, asked('refund', { transactionId: 'T-elsewhere' })],
    ['a refund of its capture', captured, asked('refund')],
    [
      'a refund of a card payment',
      [asked('pay'), answered('pay', '0000')],
      asked('refund', { transactionId: 'T-pay' }),
    ],
    [
      'a capture of a card payment, which the platform decides',
      [asked('pay'), answered('pay', '0000')],
      asked('capture', { transactionId: 'T-pay' }),
    ],
    ['a capture of its authorization', paid, asked('capture')],
  ])('%s is granted', (_name, records, intent) => {
    expect(verdict(under(2, ...records), intent)).toBe('granted');
  });

  it('captured 300.00, refunded by its authorization and by its capture: the second one alone is sent', () => {
    const twice = under(
      2,
      ...captured,
      { ...refundOfAuthorization, amount: 30_000 },
      asked('refund-2', { amount: 30_000 }),
    );
    expect(folded(twice).order.verdicts.slice(2)).toEqual([
      ['refund#1', 'rejected'],
      ['refund-2#1', 'granted'],
    ]);
  });
});

describe('version 2: a success with another amount than asked for', () => {
  const conflictsOf = (records: JournalRecord[]) => told(folded(under(2, ...records)), 'conflict.detected');

  it.each([
    ['by its answer', [asked('authorize'), answered('authorize', '0000', { amount: 28_000 })]],
    [
      'by a notification behind its answer',
      [...paid, notified('authorize', '0000', { answer: { transactionId: 'T-authorize', amount: 28_000 } })],
    ],
    [
      'by a notification in front of it',
      [
        asked('authorize'),
        notified('authorize', '0000', { answer: { transactionId: 'T-authorize', amount: 28_000 } }),
        answered('authorize', '0000'),
      ],
    ],
    [
      'after a doubt',
      [
        asked('authorize'),
        lost('authorize'),
        operatorSays('authorize', 'succeeded', { transactionId: 'T-authorize', amount: 28_000 }),
      ],
    ],
  ])('is a success and a conflict, %s', (_name, records) => {
    expect(told(folded(records), 'conflict.detected')).toEqual([]);
    const [conflict, ...more] = conflictsOf([...records, records.at(-1)!]);
    expect(more).toEqual([]);
    expect(conflict).toMatchObject({
      flags: ['other_amount'],
      amount: 30_000,
      otherAmount: 28_000,
      commandId: 'authorize',
    });
    expect(standing(folded(under(2, ...records)).order, 'authorize')).toBe('ended succeeded');
  });

  it('is one conflict beside an expiry: its flags are those of both', () => {
    const waiting = [asked('authorize'), answered('authorize', '0003'), expired('authorize')];
    const late = notified('authorize', '0000', { answer: { transactionId: 'T-authorize', amount: 28_000 } });
    expect(conflictsOf([...waiting, late])).toEqual([
      expect.objectContaining({
        otherAmount: 28_000,
        flags: expect.arrayContaining(['other_amount', 'was_expired']) as string[],
      }),
    ]);
  });

  it.each([
    ['the amount asked for', [asked('authorize'), answered('authorize', '0000', { amount: 30_000 })]],
    [
      'an amount where none was asked for',
      [...paid, asked('capture'), answered('capture', '0000', { amount: 28_000 })],
    ],
    ['a share (0004)', [asked('authorize'), answered('authorize', '0004', { amount: 28_000 })]],
    ['a refusal', [asked('authorize'), answered('authorize', '4001', { amount: 28_000 })]],
  ])('%s is no conflict', (_name, records) => {
    expect(conflictsOf(records)).toEqual([]);
  });

  it.each([
    [28_000, 28_000],
    [32_000, 30_000],
  ])('money taken counts as the smaller: %i said, %i can be captured', (said, most) => {
    const order = under(2, asked('authorize'), answered('authorize', '0000', { amount: said }));
    expect(verdict(order, asked('capture', { amount: most }))).toBe('granted');
    expect(verdict(order, asked('capture', { amount: most + 1 }))).toBe('rejected');
  });

  it.each([
    [8_000, 20_000],
    [12_000, 18_000],
  ])('money given back counts as the larger: of 300.00, 100.00 asked for and %i said, %i remain', (said, remaining) => {
    const order = under(
      2,
      ...captured,
      asked('refund', { amount: 10_000 }),
      answered('refund', '0000', { amount: said }),
    );
    expect(refundableAmount(folded(order).order, 'T-capture')).toBe(remaining);
    expect(verdict(order, asked('refund-2', { amount: remaining }))).toBe('granted');
    expect(verdict(order, asked('refund-2', { amount: remaining + 1 }))).toBe('rejected');
  });

  it('of several amounts the safest counts, and each is told once', () => {
    const said = (amount: number) =>
      notified('authorize', '0000', { answer: { transactionId: 'T-authorize', amount } });
    const order = [...paid, said(28_000), said(27_000), said(28_000), said(29_000)];
    expect(conflictsOf(order).map(({ otherAmount }) => otherAmount)).toEqual([28_000, 27_000, 29_000]);
    expect(verdict(under(2, ...order), asked('capture', { amount: 27_001 }))).toBe('rejected');
  });
});

describe('version 6: what is kept of an order', () => {
  const day = (days: number) => new Date(Date.parse(asked('authorize').at) + days * 86_400_000).toISOString();
  const waited = [asked('authorize'), answered('authorize', '0002'), { ...expired('authorize'), at: day(7) }];
  const forgotten = ({ merchant, orderId, lastOffset, history }: OrderState): JournalRecord => ({
    ...{ record: 'FORGOTTEN', rulesVersion: 4, merchant, orderId, at: day(43) },
    ...{ lastOffset, seen: history ?? lastOffset, refundableDays: 400 },
  });

  it.each([
    [4, 'granted'],
    [5, 'granted'],
    [6, 'rejected'],
  ])('version %i: 43 days after a form that only our timer ended a second payment is %s', (version, expected) => {
    const { order } = folded(under(version, ...waited));
    const second = asked('authorize-2');
    const after = folded([forgotten(order), ...under(version, second)], order).order;
    expect(verdictOf(after, second.token)).toBe(expected);
  });

  it('is judged by version 6 where FORGOTTEN alone is of it', () => {
    const { order } = folded(under(4, ...waited));
    expect(folded(under(6, forgotten(order)), order).order.operations).toHaveLength(1);
  });

  it.each([
    [5, undefined],
    [6, notifiedElsewhere('capture', '0000').at],
  ])('version %i: the time of its first record is %s in the state', (version, expected) => {
    const external = notifiedElsewhere('capture', '0000', { transactionId: 'T-elsewhere' });
    const records = [external, { ...asked('authorize'), at: day(3) }];
    expect(folded(under(version, ...records)).order.beganAt).toBe(expected);
  });
});
