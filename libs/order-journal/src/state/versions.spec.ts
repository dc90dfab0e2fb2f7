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
} from '../../test/order-story.js';
import { fold } from './fold.js';
import { paymentsTaken } from './conflicts.js';
import { refundableAmount } from './guards.js';
import { historyOf } from './history.js';
import { emptyOrder, verdictOf } from './order-state.js';
import { encodeRecord, type JournalRecord } from './records.js';
import { snapshotOf } from './snapshot.js';
import { decodeRecord, hasRule, RULES, type Rule } from './versions.js';

const published = ({ events, bodies }: ReturnType<typeof folded>, type: string) =>
  bodies.filter((_, at) => events[at] === type);
const verdict = (records: JournalRecord[], intent: JournalRecord & { token: string }) =>
  verdictOf(folded([...records, intent]).order, intent.token);

const paid = [asked('authorize'), answered('authorize', '0000')];
const captured = [...paid, asked('capture'), answered('capture', '0000')];
const refundOfAuthorization = asked('refund', { transactionId: 'T-authorize', amount: 20_000 });

describe('which version judges', () => {
  it.each(RULES.versions)('reads what was written under version %i', (rulesVersion) => {
    expect(decodeRecord(encodeRecord({ ...asked('authorize'), rulesVersion }))).toMatchObject({ rulesVersion });
  });

  it.each([0, 3, 1.5, '1', undefined])('stops at version %s, in a record and in a state', (rulesVersion) => {
    const record = { ...asked('authorize'), rulesVersion } as JournalRecord;
    expect(() => decodeRecord(encodeRecord(record))).toThrow('this release knows 1, 2');
    expect(() => fold(emptyOrder('shop-fr', 'order-1'), record, 0n)).toThrow('this release knows 1, 2');
    if (rulesVersion !== 3) return;
    const order = { ...folded(paid).order, rulesVersion };
    expect(() => fold(order, asked('capture'), 9n)).toThrow('rules version 3');
  });

  it('leaves no trace in the state of an order of version 1', () => {
    expect(JSON.stringify(folded(captured).order)).not.toContain('rulesVersion');
  });
});

/** No release has this version, nor this rule: what a further version will do is shown by one of the test's own. */
describe('a further version', () => {
  beforeEach(() => {
    jest.replaceProperty(RULES, 'versions', [...RULES.versions, 3]);
    const since = { ...RULES.since, ofTheTest: 3 };
    jest.replaceProperty(RULES, 'since', since);
  });
  afterEach(() => jest.restoreAllMocks());
  const under3 = (record: JournalRecord): JournalRecord => ({ ...record, rulesVersion: 3 });

  it('holds from its first record on: an older writer takes no rule back', () => {
    const [authorize, authorized, ...rest] = captured;
    const before = folded([authorize!]).order;
    const after = folded([under3(authorized!), ...rest], before).order;
    expect([before, after].map((order) => hasRule(order, 'ofTheTest' as Rule))).toEqual([false, true]);
    expect(after.rulesVersion).toBe(3);
  });

  it('holds in an order that begins with its SNAPSHOT', () => {
    const { order } = folded(captured.map(under3));
    const at = new Date(Date.parse(captured[0]!.at) + 60 * 86_400_000).toISOString();
    const { merchant, orderId } = order;
    const snapshot: JournalRecord = {
      ...{ record: 'SNAPSHOT', rulesVersion: 1, merchant, orderId, at },
      ...{ seen: historyOf(order), state: snapshotOf(order, at) },
    };
    expect(fold(emptyOrder('shop-fr', 'order-1'), snapshot, 9n).order.rulesVersion).toBe(3);
  });

  it('goes with an order that is forgotten: nothing remains of it', () => {
    const { order } = folded(paid.map(under3));
    const at = new Date(Date.parse(captured[0]!.at) + 40 * 86_400_000).toISOString();
    const { merchant, orderId } = order;
    const forgotten: JournalRecord = {
      ...{ record: 'TOMBSTONE', rulesVersion: 1, merchant, orderId, at },
      ...{ seen: historyOf(order), refundableDays: 35 },
    };
    expect(fold(order, forgotten, 9n).order).toEqual(emptyOrder('shop-fr', 'order-1'));
  });
});

describe('an OUTCOME whose token was never granted', () => {
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
    const twice = [...records, records.at(-1)!];
    const conflicts = published(folded(twice), 'conflict.detected');
    expect(conflicts).toHaveLength(1);
    expect(conflicts[0]).toMatchObject({
      origin: 'answer',
      flags: expect.arrayContaining([was, 'never_granted']) as string[],
    });
    expect(conflicts[0]?.redirectHtml).toBeUndefined();
  });

  it('is none where the order’s history is not whole: its grant may be among what is missing', () => {
    const begun = [answered('authorize', '0000'), stray('authorize-2', '0000')];
    expect(folded(begun).events).toEqual([]);
  });

  it('counts as a payment that may have succeeded, whatever its operation is', () => {
    const order = [
      asked('authorize'),
      asked('pay', { token: 'pay#stray' }),
      answered('authorize', '4001'),
      stray('pay', '0000'),
    ];
    expect(verdict([...order], asked('authorize-2'))).toBe('rejected');
    // The same command again: a second call of it.
    expect(verdict([...order], asked('pay', { token: 'pay#2' }))).toBe('rejected');
    expect(verdict([...order.slice(0, 3), stray('pay', '4001')], asked('authorize-2'))).toBe('granted');
  });

  it('a redirect among them may be superseded by naming it, and stands in the way else', () => {
    const order = [
      asked('authorize'),
      asked('pay', { token: 'pay#stray' }),
      answered('authorize', '4001'),
      stray('pay', '0001'),
    ];
    expect(verdict(order, asked('authorize-2'))).toBe('rejected');
    expect(verdict(order, asked('authorize-2', { supersedes: 'pay' }))).toBe('granted');
  });

  it('ends what waits for its next attempt: it was executed', () => {
    const order = [asked('authorize'), notExecuted('authorize'), stray('authorize', '0000')];
    const { order: after, events } = folded([...order, stray('authorize', '0000')]);
    expect([standing(after, 'authorize'), events]).toEqual([
      'ended succeeded',
      ['conflict.detected', 'authorize.succeeded'],
    ]);
    expect(verdict(order, asked('authorize', { attempt: 2, token: 'next' }))).toBe('lost');
  });

  it('binds its TRANSACTIONID, so that its notification is no operation of somebody else and no second conflict', () => {
    const order = [...paid, asked('pay', { token: 'pay#stray' }), stray('pay', '0000')];
    const after = folded([...order, notified('pay', '0000', { answer: { transactionId: 'T-stray-pay' } })]);
    expect(after.events.filter((type) => type !== 'authorize.succeeded')).toEqual([
      'pay.rejected',
      'conflict.detected',
    ]);
    expect(paymentsTaken(after.order)).toContainEqual(expect.objectContaining({ commandId: 'pay' }));
  });

  it('a refund, capture or void among them counts as done', () => {
    const refused = (name: string) => [
      asked(name, { seen: undefined, amount: 90_000 }),
      stray(name, '0000', { amount: 25_000 }),
    ];
    const refunded = [...captured, ...refused('refund')];
    expect(standing(folded(refunded).order, 'refund')).toBe('ended rejected');
    expect(verdict([...refunded], asked('refund-2', { amount: 10_000 }))).toBe('rejected');
    expect(verdict([...refunded], asked('refund-2', { amount: 5_000 }))).toBe('granted');
    const capturedUngranted = [...paid, ...refused('capture')];
    expect(verdict([...capturedUngranted], asked('capture-2'))).toBe('rejected');
    expect(verdict([...capturedUngranted], asked('void'))).toBe('rejected');
  });
});

describe('a reference that is known and can not be followed so', () => {
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
    const { order, bodies } = folded([...records, intent]);
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
    expect(verdict([...records], intent)).toBe('granted');
  });

  it('captured 300.00, refunded by its authorization and by its capture: the second one alone is sent', () => {
    const twice = [...captured, { ...refundOfAuthorization, amount: 30_000 }, asked('refund-2', { amount: 30_000 })];
    expect(folded(twice).order.verdicts.slice(2)).toEqual([
      ['refund#1', 'rejected'],
      ['refund-2#1', 'granted'],
    ]);
  });
});

describe('a success with another amount than asked for', () => {
  const conflictsOf = (records: JournalRecord[]) => published(folded([...records]), 'conflict.detected');

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
    const [conflict, ...more] = conflictsOf([...records, records.at(-1)!]);
    expect(more).toEqual([]);
    expect(conflict).toMatchObject({
      flags: ['other_amount'],
      amount: 30_000,
      otherAmount: 28_000,
      commandId: 'authorize',
    });
    expect(standing(folded([...records]).order, 'authorize')).toBe('ended succeeded');
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
    const order = [asked('authorize'), answered('authorize', '0000', { amount: said })];
    expect(verdict(order, asked('capture', { amount: most }))).toBe('granted');
    expect(verdict(order, asked('capture', { amount: most + 1 }))).toBe('rejected');
  });

  it.each([
    [8_000, 20_000],
    [12_000, 18_000],
  ])('money given back counts as the larger: of 300.00, 100.00 asked for and %i said, %i remain', (said, remaining) => {
    const order = [...captured, asked('refund', { amount: 10_000 }), answered('refund', '0000', { amount: said })];
    expect(refundableAmount(folded(order).order, 'T-capture')).toBe(remaining);
    expect(verdict(order, asked('refund-2', { amount: remaining }))).toBe('granted');
    expect(verdict(order, asked('refund-2', { amount: remaining + 1 }))).toBe('rejected');
  });

  it('of several amounts the safest counts, and each is told once', () => {
    const said = (amount: number) =>
      notified('authorize', '0000', { answer: { transactionId: 'T-authorize', amount } });
    const order = [...paid, said(28_000), said(27_000), said(28_000), said(29_000)];
    expect(conflictsOf(order).map(({ otherAmount }) => otherAmount)).toEqual([28_000, 27_000, 29_000]);
    expect(verdict([...order], asked('capture', { amount: 27_001 }))).toBe('rejected');
  });
});

it('the time of its first record is part of an order, whatever record that is', () => {
  const external = notifiedElsewhere('capture', '0000', { transactionId: 'T-elsewhere' });
  const late = new Date(Date.parse(external.at) + 3 * 86_400_000).toISOString();
  expect(folded([external, { ...asked('authorize'), at: late }]).order.beganAt).toBe(external.at);
});
