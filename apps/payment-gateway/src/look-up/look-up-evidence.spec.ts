import type { Merchant, OperationKind } from '@tranche/contracts';
import {
  emptyOrder,
  fold,
  lookUpEvidence,
  RULES_VERSION,
  tagExtraData,
  type EvidenceRecord,
  type JournalRecord,
  type OrderState,
} from '@tranche/order-journal';
import { listedTransaction } from '@tranche/platform';

const AT = '2026-03-01T10:00:00.000Z';
const merchant = { merchant: 'shop-es', identifier: 'Demo Shop ES', accountKey: 'key' } as Merchant;
const inOrder = { rulesVersion: RULES_VERSION, merchant: 'shop-es', orderId: 'order-1', at: AT };
const TYPE = { authorize: 'authorization', capture: 'capture', refund: 'refund', void: 'void', pay: 'payment' };

interface Sent {
  operation?: OperationKind;
  amount?: number;
  isTagged?: boolean;
}

const intent = (
  commandId: string,
  { operation = 'capture', amount = 30_000, isTagged = true }: Sent = {},
): JournalRecord => ({
  record: 'INTENT',
  ...inOrder,
  ...{
    commandId,
    attempt: 1,
    token: commandId,
    operation,
    method: 'B',
    currency: 'EUR',
    amount,
    contentHash: commandId,
  },
  ...(isTagged ? { tag: 'tag' } : {}),
});
const doubt = (commandId: string): JournalRecord => ({
  record: 'IN_DOUBT',
  ...inOrder,
  ...{ commandId, attempt: 1, token: commandId, reason: 'timeout', message: 'No whole answer' },
});
const outcome = (
  commandId: string,
  transactionId: string,
  result: 'succeeded' | 'refused' = 'succeeded',
): JournalRecord => ({
  record: 'OUTCOME',
  ...inOrder,
  ...{ commandId, attempt: 1, token: commandId, result },
  answer: { execCode: result === 'succeeded' ? '0000' : '4001', transactionId },
});

const ordered = (...records: JournalRecord[]): OrderState => after(emptyOrder('shop-es', 'order-1'), records);
const after = (order: OrderState, records: readonly JournalRecord[]): OrderState =>
  records.reduce((state, record) => fold(state, record, BigInt(state.lastOffset) + 1n).order, order);

const doubtful = (sent?: Sent) => ordered(intent('a', sent), doubt('a'));

const row = (changes: Record<string, string | undefined> = {}) => {
  const fields: Record<string, string | undefined> = {
    TRANSACTIONID: 'T1',
    IDENTIFIER: 'Demo Shop ES',
    ORDERID: 'order-1',
    OPERATIONTYPE: 'capture',
    EXECCODE: '0000',
    MESSAGE: 'Done.',
    AMOUNT: '30000',
    DATE: '2026-03-01T10:00:01.000Z',
    EXTRADATA: tagExtraData('basket=42', 'a', 1).extraData,
    ...changes,
  };
  return new Map(Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined));
};

function lookedUp(
  order: OrderState,
  ...rows: ReturnType<typeof row>[]
): { evidences: EvidenceRecord[]; order: OrderState } {
  const operation = order.operations.find(({ phase }) => phase === 'in_doubt');
  if (operation === undefined) throw new Error('nothing is in doubt');
  const evidences = lookUpEvidence(
    rows.flatMap((one) => listedTransaction(one) ?? []),
    { merchant, order, operation, at: AT },
  );
  return { evidences, order: after(order, evidences) };
}
const stateOf = (order: OrderState, commandId = 'a') => {
  const { phase, end } = order.operations.find((operation) => operation.commandId === commandId) ?? {};
  return end ?? phase;
};

it('our own transaction settles the doubt, and the caller gets EXTRADATA back', () => {
  const { evidences, order } = lookedUp(doubtful(), row());
  expect(evidences).toMatchObject([
    {
      source: 'look-up',
      operation: 'capture',
      result: 'succeeded',
      answer: { execCode: '0000', transactionId: 'T1', amount: 30_000, message: 'Done.' },
      extraData: 'basket=42',
      tag: { attempt: 1 },
      executedAt: '2026-03-01T10:00:01.000Z',
    },
  ]);
  const [operation] = order.operations;
  expect(operation).toMatchObject({ end: 'succeeded', transactionId: 'T1' });
  expect(operation?.latest).toMatchObject({
    type: 'payment.capture.doubt_resolved',
    body: { origin: 'look-up', outcome: 'succeeded' },
  });
});

it('the time of the transaction is when an authorization was made: its seven days count from then', () => {
  const DATE = '2026-03-01T09:59:30.000Z';
  const { order } = lookedUp(doubtful({ operation: 'authorize' }), row({ OPERATIONTYPE: 'authorization', DATE }));
  expect(order.operations).toMatchObject([{ end: 'succeeded', endedAt: AT, executedAt: DATE }]);
});

it('absent proves nothing', () => {
  expect(lookedUp(doubtful()).evidences).toEqual([]);
});

it.each([
  ['another order', { ORDERID: 'order-2' }],
  ['no order', { ORDERID: undefined }],
  ['another account', { IDENTIFIER: 'Demo Shop FR' }],
  ['another operation', { OPERATIONTYPE: 'refund' }],
  ['an operation that nobody knows', { OPERATIONTYPE: 'constructor' }],
  ['no EXECCODE', { EXECCODE: undefined }],
  ['an EXECCODE of any text', { EXECCODE: '0000 or so' }],
  ['no TRANSACTIONID', { TRANSACTIONID: undefined }],
  ['an empty TRANSACTIONID', { TRANSACTIONID: '' }],
  ['a TRANSACTIONID that is too long', { TRANSACTIONID: 'T'.repeat(33) }],
  ['another operation’s tag', { EXTRADATA: tagExtraData(undefined, 'b', 1).extraData }],
  ['no tag where ours was sent with one: a back office looks the same', { EXTRADATA: 'basket=42' }],
  ['no EXTRADATA where ours was sent with a tag', { EXTRADATA: undefined }],
])('a row about %s is none of ours', (_, changes) => {
  const { evidences, order } = lookedUp(doubtful(), row(changes));
  expect(evidences).toEqual([]);
  expect(order.external).toEqual([]);
});

it.each([
  ['authorize', '0000', 'succeeded'],
  ['authorize', '0001', 'redirect_required'],
  ['authorize', '0002', 'redirect_required'],
  ['authorize', '0003', 'pending'],
  ['authorize', '4001', 'refused'],
  ['authorize', '5001', 'not_executed'],
  ['authorize', '5004', 'in_doubt'],
  ['authorize', '9999', 'in_doubt'],
  ['capture', '0002', 'in_doubt'],
  ['capture', '0003', 'in_doubt'],
  ['capture', '0004', 'succeeded'],
  ['capture', '2005', 'in_doubt'],
  ['capture', '4001', 'refused'],
  ['refund', '0003', 'in_doubt'],
  ['void', '2015', 'in_doubt'],
  ['void', '0000', 'succeeded'],
] as const)('%s with %s: %s', (operation, execCode, state) => {
  const { order } = lookedUp(doubtful({ operation }), row({ OPERATIONTYPE: TYPE[operation], EXECCODE: execCode }));
  expect(stateOf(order)).toBe(state);
});

it('the rows of a transaction’s history settle it once, whatever their order', () => {
  const rows = ['0002', '0003', '0000'].map((EXECCODE) => row({ OPERATIONTYPE: 'authorization', EXECCODE }));
  for (const history of [rows, rows.toReversed()]) {
    const { order } = lookedUp(doubtful({ operation: 'authorize' }), ...history);
    expect(stateOf(order)).toBe('succeeded');
  }
});

it('evidence that was counted is not written again', () => {
  const unclear = row({ OPERATIONTYPE: 'authorization', EXECCODE: '5004' });
  const { evidences, order } = lookedUp(doubtful({ operation: 'authorize' }), unclear);
  expect(evidences).toHaveLength(1);
  expect(lookedUp(order, unclear).evidences).toEqual([]);
  expect(lookedUp(order, unclear, row({ OPERATIONTYPE: 'authorization' })).evidences).toHaveLength(1);
});

describe('a row without a tag', () => {
  const paid = (changes: Record<string, string | undefined> = {}) =>
    row({ OPERATIONTYPE: 'payment', EXTRADATA: undefined, ...changes });
  const untagged = { operation: 'pay', isTagged: false } as const;

  it('settles an attempt that was sent without a tag, if nothing else can be the source', () => {
    expect(stateOf(lookedUp(doubtful(untagged), paid()).order)).toBe('succeeded');
  });

  it.each(['capture', 'refund', 'void'] as const)(
    'of a %s may be the back office’s: it becomes a candidate, once',
    (operation) => {
      const listed = row({ OPERATIONTYPE: operation, EXTRADATA: undefined });
      const looked = lookedUp(doubtful({ operation, isTagged: false }), listed);
      expect(stateOf(looked.order)).toBe('in_doubt');
      expect(looked.order.unmatchedEvidence).toMatchObject([{ source: 'look-up', answer: { transactionId: 'T1' } }]);
      expect(lookedUp(looked.order, listed).evidences).toEqual([]);
    },
  );

  it('settles nothing where two attempts could be its source: it becomes a candidate, once', () => {
    const refusedWithoutId = { ...outcome('a', 'T0', 'refused'), answer: { execCode: '4001' } } as JournalRecord;
    const order = ordered(intent('a', untagged), refusedWithoutId, intent('b', untagged), doubt('b'));
    const looked = lookedUp(order, paid());
    expect(stateOf(looked.order, 'b')).toBe('in_doubt');
    expect(looked.order.unmatchedEvidence).toMatchObject([{ source: 'look-up', answer: { transactionId: 'T1' } }]);
    expect(lookedUp(looked.order, paid()).evidences).toEqual([]);
  });

  it('is another one’s where the transaction is known', () => {
    const order = ordered(intent('a', untagged), outcome('a', 'T1', 'refused'), intent('b', untagged), doubt('b'));
    expect(lookedUp(order, paid({ EXECCODE: '4001' })).evidences).toEqual([]);
    expect(stateOf(lookedUp(order, paid({ EXECCODE: '4001' }), paid({ TRANSACTIONID: 'T2' })).order, 'b')).toBe(
      'succeeded',
    );
  });

  it('is the back office’s where it was notified before', () => {
    const refund = row({ OPERATIONTYPE: 'refund', EXTRADATA: undefined, TRANSACTIONID: 'T9', AMOUNT: '500' });
    const notified: JournalRecord = {
      record: 'EVIDENCE',
      ...inOrder,
      source: 'notification',
      operation: 'refund',
      result: 'succeeded',
      answer: { execCode: '0000', transactionId: 'T9', amount: 500 },
    };
    const order = ordered(notified, intent('a', { operation: 'refund', amount: 500, isTagged: false }), doubt('a'));
    expect(order.external).toHaveLength(1);
    expect(lookedUp(order, refund).evidences).toEqual([]);
  });

  it.each([
    ['2026-03-01T10:00:00.000Z', 1],
    ['2026-03-01T11:00:00+01:00', 1],
    ['2026-03-01T09:59:00.000Z', 1],
    ['2026-03-01T09:58:59.999Z', 0],
    ['2026-01-01T10:00:00.000Z', 0],
    ['2026-03-01T10:00:01', 0],
    ['2026-03-01', 0],
    ['01/03/2026 10:00', 0],
    [undefined, 0],
  ])('made at %s: the list holds what the journal has forgotten', (DATE, count) => {
    expect(lookedUp(doubtful(untagged), paid({ DATE })).evidences).toHaveLength(count);
  });

  it('may be a tagged attempt’s, whose tag the list leaves out: then it proves nothing', () => {
    const refund = { operation: 'refund', amount: 500 } as const;
    const refusedWithoutId = { ...outcome('a', 'T0', 'refused'), answer: { execCode: '4001' } } as JournalRecord;
    const order = ordered(
      intent('a', refund),
      refusedWithoutId,
      intent('b', { ...refund, isTagged: false }),
      doubt('b'),
    );
    const listed = row({ OPERATIONTYPE: 'refund', EXTRADATA: undefined, AMOUNT: '500' });
    expect(lookedUp(order, listed).evidences).toEqual([]);
    const bound = ordered(
      intent('a', refund),
      outcome('a', 'T0', 'refused'),
      intent('b', { ...refund, isTagged: false }),
      doubt('b'),
    );
    expect(lookedUp(bound, listed).evidences).toHaveLength(1);
  });

  it.each([
    ['30000', '0000', 1],
    ['29999', '0000', 0],
    ['29999', '0004', 1],
    ['much', '0000', 1],
  ])('of %s with %s', (AMOUNT, EXECCODE, count) => {
    expect(lookedUp(doubtful(untagged), paid({ AMOUNT, EXECCODE })).evidences).toHaveLength(count);
  });
});

it('a success of an attempt that was closed before is a conflict, not silence', () => {
  const notExecuted = {
    record: 'NOT_EXECUTED',
    ...inOrder,
    commandId: 'a',
    attempt: 1,
    token: 'a',
    reason: 'execcode',
    message: '',
  } as const;
  const again = { ...intent('a'), attempt: 2, token: 'a2' } as JournalRecord;
  const inDoubt = { ...doubt('a'), attempt: 2, token: 'a2' } as JournalRecord;
  const before = ordered(intent('a'), notExecuted, again, inDoubt);
  const { evidences, order } = lookedUp(before, row());
  expect(evidences).toMatchObject([{ tag: { attempt: 1 } }]);
  expect(stateOf(order)).toBe('in_doubt');
  const { effects } = fold(before, evidences[0]!, 9n);
  expect(effects.map(({ event }) => event.type)).toEqual(['payment.conflict.detected']);
});
