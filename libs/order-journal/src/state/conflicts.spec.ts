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
  under,
} from '../../test/order-story.js';
import {
  conflictReasonOf,
  conflictsOf,
  factsOf,
  followUpsOf,
  isGivenBack,
  isSettledReport,
  madeElsewhere,
  severalTaken,
  successesOf,
} from './conflicts.js';
import { fold } from './fold.js';
import { emptyOrder, findOperation, type OperationState } from './order-state.js';
import type { JournalRecord } from './records.js';

const twice = [
  ...[asked('authorize', { method: 'A' }), answered('authorize', '0003'), expired('authorize')],
  ...[asked('authorize-2', { method: 'A', supersedes: 'authorize' }), answered('authorize-2', '0000')],
  notified('authorize', '0000'),
];
const office = (operation: string, execCode: string) =>
  notifiedElsewhere(operation, execCode, { transactionId: 'T-office' });
const operationOf = (records: readonly JournalRecord[], name: string): OperationState =>
  findOperation(folded(records).order, name)!;
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

describe('an order names each conflict by what differs, the same for ever: people approve it by that name', () => {
  const form = [asked('authorize', { method: 'A' }), answered('authorize', '0002')];
  it.each<[string, JournalRecord[], string, unknown[][]]>([
    [
      'two_payments_succeeded',
      twice,
      'ZdnukrpgdcKa',
      [
        ['paid', 'authorize', 'T-authorize'],
        ['paid', 'authorize-2', 'T-authorize-2'],
      ],
    ],
    ['other_result', twice, 'o2khmuK66fXP', [['report', 'authorize', 1, 'T-authorize', '0000']]],
    [
      'never_granted',
      [asked('pay'), answered('pay', '0000'), answered('pay', '4001', {}, 2)],
      '0xXrVaUmqM-n',
      [['call', 'pay#2', 'refused', 'T-pay']],
    ],
    [
      'paid_after_void',
      under(2, ...form, asked('void'), answered('void', '0000'), notified('authorize', '0000')),
      '9kU_yAYPUK7e',
      [['void', 'authorize']],
    ],
    [
      'other_amount',
      [...captured, notified('capture', '0000', { answer: { amount: 12 } })],
      'CnF3ojEb1pCV',
      [
        ['amount', 'capture', 30_000],
        ['amount', 'capture', 12],
      ],
    ],
    [
      'other_currency',
      [...captured, notified('capture', '0000', { currency: 'USD' })],
      'vrzzAVnVPx-H',
      [['currency', 'capture', 'USD']],
    ],
    [
      'other_result',
      [...captured, notified('capture', '4001')],
      '8vlXq5VKG_9o',
      [['report', 'capture', 1, 'T-capture', '4001']],
    ],
    [
      'other_result',
      [...captured, office('refund', '0000'), office('refund', '4001')],
      '5Cnaa3X0TPh6',
      [['elsewhere', 'refund', 'T-office', 'refused']],
    ],
    [
      'other_result',
      [...captured, office('CHARGEBACK', '0000'), office('CHARGEBACK', '4001')],
      'dzJJ_qZm-Gx8',
      [['elsewhere', 'CHARGEBACK', 'T-office', 'refused']],
    ],
  ])('%s', (reason, records, id, facts) => {
    const found = conflictsOf(folded(records).order).find((one) => one.reason === reason)!;
    expect([found.id, found.facts.map((fact) => JSON.parse(fact) as unknown)]).toEqual([id, facts]);
  });

  it('transaction_assumed', () => {
    const { order } = folded(captured);
    const operations = order.operations.map((one) => ({ ...one, isTransactionAssumed: true as const }));
    expect(conflictsOf({ ...order, operations })[0]).toMatchObject({
      reason: 'transaction_assumed',
      facts: [JSON.stringify(['assumed', 'authorize', 'T-authorize'])],
    });
  });
});

describe('reports of what was made elsewhere contradict', () => {
  const refunded = [...captured, office('refund', '0000')];
  it.each<[string, JournalRecord[]]>([
    [
      'not, where they have no TRANSACTIONID',
      [...captured, notifiedElsewhere('refund', '0000'), notifiedElsewhere('refund', '4001')],
    ],
    [
      'not, where their TRANSACTIONIDs differ',
      [...refunded, notifiedElsewhere('refund', '4001', { transactionId: 'T-other' })],
    ],
    ['not, where their operations differ', [...refunded, office('void', '4001')]],
    [
      'not, where their OPERATIONTYPEs differ',
      [...captured, office('CHARGEBACK', '0000'), office('ADJUSTMENT', '4001')],
    ],
    ['not, where both are refused', [...captured, office('refund', '4001'), office('refund', '4003')]],
  ])('%s', (_what, records) => expect(conflictsOf(folded(records).order)).toEqual([]));

  it('in whichever order they come', () =>
    expect(shown([...captured, office('refund', '4001'), office('refund', '0000')])).toEqual(['other_result -']));
});

describe('operations made elsewhere', () => {
  const report = { operation: 'refund', result: 'succeeded' } as const;
  it('are one for each TRANSACTIONID, with the least amount; without one each report is an operation', () => {
    const one = { ...report, transactionId: 'T-1' };
    expect(madeElsewhere([{ ...one, amount: 9 }, { ...one, amount: 5 }, one, report])).toEqual([
      { operation: 'refund', transactionId: 'T-1', amount: 5, isDenied: false },
      { operation: 'refund', transactionId: undefined, amount: undefined, isDenied: false },
    ]);
    expect(madeElsewhere([report, { ...report }])).toHaveLength(2);
    expect(
      madeElsewhere([
        { ...one, amount: 9 },
        { ...one, result: 'refused' },
      ]),
    ).toMatchObject([{ isDenied: true }]);
    expect(madeElsewhere([{ ...one, result: 'refused' }])).toEqual([]);
  });

  it('follow the payment that they can be of, unless a report of the same TRANSACTIONID denies them', () => {
    const own = { commandId: 'authorize', transactionId: 'T-authorize' };
    const voidsOf = (records: JournalRecord[], payment = own, change = {}) =>
      followUpsOf({ ...folded(records).order, ...change }, 'void', payment).length;
    const voided = [...authorized, office('void', '0000')];
    expect(voidsOf(voided)).toBe(1);
    expect(voidsOf([...voided, office('void', '4001')])).toBe(0);
    expect(voidsOf([...voided, notifiedElsewhere('void', '4001', { transactionId: 'T-other' })])).toBe(1);
    expect(voidsOf([...voided, notifiedElsewhere('void', '4001')])).toBe(1);
    expect(voidsOf([...authorized, office('void', '4001')])).toBe(0);
    expect(voidsOf([...authorized, office('capture', '0000')])).toBe(0);
    expect(voidsOf(voided, { ...own, transactionId: 'T-second' })).toBe(0);
    expect(voidsOf(voided, { commandId: 'authorize-2', transactionId: 'T-authorize' })).toBe(0);
    expect(voidsOf(voided, { ...own, commandId: 'gone' }, { operations: [] })).toBe(0);
    const { external } = folded(voided).order;
    const unbound = external.map(({ of: _of, ...one }) => one);
    expect(voidsOf(voided, { commandId: undefined, transactionId: undefined } as never, { external: unbound })).toBe(0);
  });

  it('a follow-up of ours without a reference is of no payment', () => {
    const { order } = folded([...authorized, asked('void'), answered('void', '0000')]);
    const operations = order.operations.map(({ reference: _reference, ...one }) => one);
    expect(followUpsOf({ ...order, operations }, 'void', {})).toEqual([]);
  });
});

it('an operation has one success for each TRANSACTIONID under which it was said to have succeeded', () => {
  const first = { commandId: 'authorize', transactionId: 'T-authorize' };
  const successes = (...records: JournalRecord[]) => successesOf(operationOf(records, 'authorize'));
  const asSecond = (execCode: string) => notified('authorize', execCode, { answer: { transactionId: 'T-second' } });
  expect(successes(...authorized)).toEqual([first]);
  expect(successes(...authorized, asSecond('4001'))).toEqual([first]);
  expect(successes(...authorized, notified('authorize', '4001'))).toEqual([first]);
  expect(successes(...authorized, asSecond('0000'))).toEqual([first, { ...first, transactionId: 'T-second' }]);
  expect(successes(asked('authorize'), answered('authorize', '4001'), asSecond('0000'))).toHaveLength(1);
  expect(successes(asked('authorize'), answered('authorize', '4001'))).toEqual([]);
});

it('a payment is given back where two people said so of its TRANSACTIONID, and of all of it', () => {
  const { order } = folded(captured);
  const repair = { commandId: 'capture', transactionId: 'T-capture', amount: 30_000, isWhole: true };
  const isBack = (...repairs: unknown[]) => isGivenBack({ ...order, repairs } as never, { transactionId: 'T-capture' });
  expect([isBack(), isBack(repair), isBack({ ...repair, isWhole: false }), isBack({ ...repair, transactionId: 'T' })]).toEqual([false, true, false, false]); // prettier-ignore
  expect(isGivenBack(order, {})).toBe(false);
});

it('captures beside a payment are no second payment', () => {
  expect(severalTaken(folded([...captured, asked('refund'), answered('refund', '0000')]).order)).toEqual([]);
});

describe('facts of an operation, which two people settle', () => {
  const told = [
    ...captured,
    notified('capture', '4001'),
    notified('capture', '0000', { answer: { amount: 12 } }),
    notified('capture', '0000', { currency: 'USD' }),
  ];
  const textsOf = (...facts: unknown[][]) => facts.map((fact) => JSON.stringify(fact));

  it('are its reports, its amounts and its other currencies', () => {
    expect([...new Set(factsOf(operationOf(told, 'capture')))]).toEqual(
      textsOf(
        ['report', 'capture', 1, 'T-capture', '4001'],
        ['report', 'capture', 1, 'T-capture', '0000'],
        ['amount', 'capture', 30_000],
        ['amount', 'capture', 12],
        ['currency', 'capture', 'USD'],
      ),
    );
    const { amount: _amount, ...withoutAmount } = operationOf([...authorized, asked('capture')], 'capture');
    expect(factsOf(withoutAmount)).toEqual([]);
  });

  const operation = operationOf(captured, 'capture');
  const report = {
    source: 'notification',
    result: 'refused',
    answer: { execCode: '4001', transactionId: 'T-capture' },
  } as const;
  const settled = textsOf(
    ['report', 'capture', 1, 'T-capture', '4001'],
    ['amount', 'capture', 12],
    ['currency', 'capture', 'USD'],
  );
  const isSettled = (change: object = {}, of = operation) =>
    isSettledReport({ ...folded(captured).order, settled }, of, { ...report, ...change } as never);

  it('cover the very report, whole, of an operation that has ended', () => {
    expect(isSettled()).toBe(true);
    expect(isSettled({ attempt: 2 })).toBe(false);
    expect(isSettled({ answer: { ...report.answer, execCode: '4003' } })).toBe(false);
    expect(isSettled({ answer: { ...report.answer, amount: 12 } })).toBe(true);
    expect(isSettled({ answer: { ...report.answer, amount: 13 } })).toBe(false);
    expect(isSettled({ currency: 'USD' })).toBe(true);
    expect(isSettled({ currency: 'GBP' })).toBe(false);
    expect(isSettled({ currency: 'EUR' })).toBe(true);
    expect(isSettled({}, { ...operation, phase: 'in_doubt' })).toBe(false);
    expect(isSettledReport(folded(captured).order, operation, report as never)).toBe(false);
  });
});
