import type { PlatformAnswer } from '@tranche/contracts';
import {
  emptyOrder,
  fold,
  REPORTS_KEPT,
  RULES_VERSION,
  type JournalRecord,
  type OperationTerms,
  operationTag,
  type OrderState,
  parseOperationId,
} from '@tranche/order-journal';
import { frozenView, orderView } from './order-view.js';

const AT = '2026-03-01T10:00:00.000Z';
const inOrder = { rulesVersion: RULES_VERSION, merchant: 'shop-fr', orderId: 'order-1', at: AT };
const ofAttempt = (commandId: string, attempt = 1) => ({
  ...inOrder,
  commandId,
  attempt,
  token: `${commandId}#${attempt}`,
});

function intent(commandId: string, change: Partial<OperationTerms> = {}, attempt = 1): JournalRecord {
  const terms = { operation: 'authorize', method: 'A', currency: 'EUR', amount: 20000, contentHash: 'hash' } as const;
  return { record: 'INTENT', ...ofAttempt(commandId, attempt), tag: 'yes', ...terms, ...change };
}
const outcome = (
  commandId: string,
  result: 'succeeded' | 'refused' | 'redirect_required' | 'pending',
  answer: PlatformAnswer = {},
  attempt = 1,
): JournalRecord => ({
  ...{ record: 'OUTCOME', ...ofAttempt(commandId, attempt), result },
  answer: { transactionId: `T-${commandId}`, execCode: '0000', ...answer },
});
const inDoubt = (commandId: string): JournalRecord => ({
  ...{ record: 'IN_DOUBT', ...ofAttempt(commandId), reason: 'connection_lost', message: 'reset' },
});
const notExecuted = (commandId: string): JournalRecord => ({
  ...{ record: 'NOT_EXECUTED', ...ofAttempt(commandId), reason: 'execcode', execCode: '5003', message: 'maintenance' },
});
const done = (commandId: string, change: Partial<OperationTerms> = {}) => [
  intent(commandId, change),
  outcome(commandId, 'succeeded'),
];
const backOffice = (amount?: number): JournalRecord => ({
  ...{ record: 'EVIDENCE', ...inOrder, source: 'notification', operation: 'refund', result: 'succeeded' },
  answer: { transactionId: 'T-x', execCode: '0000', ...(amount === undefined ? {} : { amount }) },
});

const authorized = done('a');
const captured = [...authorized, ...done('c', { operation: 'capture', transactionId: 'T-a', amount: 15000 })];
const refund = (commandId: string, amount?: number) =>
  done(commandId, { operation: 'refund', transactionId: 'T-c', amount });
const voided = [...authorized, ...done('v', { operation: 'void', transactionId: 'T-a', amount: undefined })];
const paid = done('p', { operation: 'pay', method: 'card', amount: 5000 });

function orderOf(records: JournalRecord[]): OrderState {
  let order = emptyOrder('shop-fr', 'order-1');
  records.forEach((record, offset) => (order = fold(order, record, BigInt(offset)).order));
  return order;
}
const viewOf = (...records: JournalRecord[]) => orderView(orderOf(records));

describe('the view of an order', () => {
  it.each([
    ['a call under way', [intent('a')], 'in_progress', [0, 0, 0, 0], []],
    ['a call to be tried again', [intent('a'), notExecuted('a')], 'in_progress', [0, 0, 0, 0], []],
    ['a doubt', [intent('a'), inDoubt('a')], 'in_doubt', [0, 0, 0, 0], []],
    [
      'a doubt about a capture',
      [...authorized, intent('c', { operation: 'capture' }), inDoubt('c')],
      'in_doubt',
      [20000, 0, 0, 0],
      [],
    ],
    ['a redirect', [intent('a'), outcome('a', 'redirect_required')], 'redirect_required', [0, 0, 0, 0], []],
    ['a pending approval', [intent('a'), outcome('a', 'pending')], 'pending', [0, 0, 0, 0], []],
    ['a refusal', [intent('a'), outcome('a', 'refused')], 'refused', [0, 0, 0, 0], []],
    ['an authorization', authorized, 'authorized', [20000, 0, 0, 0], []],
    ['a void', voided, 'voided', [0, 0, 0, 0], []],
    ['a new authorization after a void', [...voided, ...done('b', { amount: 100 })], 'authorized', [100, 0, 0, 0], []],
    ['a capture', captured, 'captured', [20000, 15000, 0, 15000], []],
    [
      'a capture of what was authorized',
      [...authorized, ...done('c', { operation: 'capture', transactionId: 'T-a', amount: undefined })],
      'captured',
      [20000, 20000, 0, 20000],
      ['captured'],
    ],
    [
      'a capture whose amount the platform told',
      [
        ...authorized,
        intent('c', { operation: 'capture', transactionId: 'T-a', amount: undefined }),
        outcome('c', 'succeeded', { amount: 18000 }),
      ],
      'captured',
      [20000, 18000, 0, 18000],
      [],
    ],
    ['a refund of a part', [...captured, ...refund('r', 5000)], 'partly_refunded', [20000, 15000, 5000, 10000], []],
    ['a refund of all', [...captured, ...refund('r', 15000)], 'refunded', [20000, 15000, 15000, 0], []],
    ['a refund of what remains', [...captured, ...refund('r')], 'refunded', [20000, 15000, 15000, 0], ['refunded']],
    [
      'a refund of the back office',
      [...captured, backOffice(4000)],
      'partly_refunded',
      [20000, 15000, 4000, 11000],
      [],
    ],
    [
      'a refund of nobody knows how much',
      [...captured, backOffice()],
      'partly_refunded',
      [20000, 15000, null, null],
      [],
    ],
    ['a card payment', paid, 'captured', [5000, 5000, 0, 5000], []],
    [
      'a capture of an authorization made elsewhere',
      done('c', { operation: 'capture', transactionId: 'T-z', amount: 700 }),
      'captured',
      [0, 700, 0, 700],
      [],
    ],
    ['nothing but what others did', [backOffice(100)], 'external', [0, 0, 100, 0], []],
  ] as [string, JournalRecord[], string, (number | null)[], string[]][])('%s', (_, records, status, sums, assumed) => {
    const { amounts, ...view } = viewOf(...records);
    const { authorized: ofAuthorizations, captured: ofCaptures, refunded, remaining } = amounts;
    expect([view.status, ofAuthorizations, ofCaptures, refunded, remaining, amounts.assumed]).toEqual([
      status,
      ...sums,
      assumed,
    ]);
  });

  it.each([
    ['until when it may be captured', authorized, { captureWindowEndsAt: '2026-03-08T10:00:00.000Z' }],
    ['none once it was captured', captured, {}],
    ['none once it was voided', voided, {}],
    ['none of a card payment', paid, {}],
    [
      'when a pending approval expires',
      [intent('a'), outcome('a', 'pending')],
      { pendingExpiresAt: '2026-03-07T10:00:00.000Z', operatorMayResolveFrom: '2026-03-02T10:00:00.000Z' },
    ],
    [
      'when a pending approval expires by the platform’s time, where we heard of it late',
      [
        intent('a'),
        outcome('a', 'redirect_required'),
        {
          ...{ record: 'EVIDENCE', ...inOrder, at: '2026-03-05T10:00:00.000Z', source: 'notification' },
          ...{ operation: 'authorize', result: 'pending', executedAt: '2026-03-02T10:00:00.000Z' },
          ...{ tag: { operation: operationTag('a'), attempt: 1 }, answer: { execCode: '0003', transactionId: 'T 7' } },
        },
      ],
      { pendingExpiresAt: '2026-03-08T10:00:00.000Z', operatorMayResolveFrom: '2026-03-06T10:00:00.000Z' },
    ],
    [
      'when a redirect expires, and from when on an operator may resolve it',
      [intent('a'), outcome('a', 'redirect_required')].map((record) => record),
      { redirectExpiresAt: '2026-03-08T10:00:00.000Z', operatorMayResolveFrom: '2026-03-02T10:00:00.000Z' },
    ],
  ] as [string, JournalRecord[], object][])('tells %s', (_, records, deadlines) => {
    expect(viewOf(...records).deadlines).toEqual(deadlines);
  });

  it('shows every attempt, the counted evidence, and the ids of the events', () => {
    const said: JournalRecord = {
      ...{
        record: 'EVIDENCE',
        ...inOrder,
        source: 'operator',
        operation: 'authorize',
        result: 'succeeded',
        commandId: 'a',
        attempt: 2,
      },
      ...{ actor: 'alice', reason: 'seen in the back office', answer: { transactionId: 'T 7', execCode: '0000' } },
    };
    const doubtful: JournalRecord = {
      record: 'IN_DOUBT',
      ...ofAttempt('a', 2),
      reason: 'timeout',
      message: 'no answer',
    };
    const view = viewOf(intent('a'), notExecuted('a'), intent('a', {}, 2), doubtful, said);
    const [operation] = view.operations;
    expect(parseOperationId(operation?.id ?? '')).toEqual({ merchant: 'shop-fr', orderId: 'order-1', commandId: 'a' });
    expect(operation).toMatchObject({
      ...{ state: 'succeeded', attempt: 2, amount: 20000, transactionId: 'T 7', wasInDoubt: true },
      resolvedBy: { actor: 'alice', reason: 'seen in the back office', at: AT },
      attempts: [
        { attempt: 1, intentAt: AT, isTagged: true, state: 'not_executed' },
        { attempt: 2, intentAt: AT, isTagged: true, transactionId: 'T 7', state: 'succeeded' },
      ],
      evidence: [{ attempt: 2, transactionId: 'T 7', execCode: '0000' }],
      latest: { type: 'payment.authorize.doubt_resolved', origin: 'operator', outcome: 'succeeded' },
      events: [
        { type: 'payment.authorize.in_doubt', sequence: '0000000000000000003' },
        { type: 'payment.authorize.doubt_resolved', sequence: '0000000000000000004' },
      ],
    });
    expect(operation?.latest?.id).toBe(operation?.events[1]?.id);
    expect(JSON.stringify(view)).not.toMatch(/a#1|contentHash|token/);
  });

  it('shows evidence that waits for its operation, and operations of the back office', () => {
    const heard: JournalRecord = {
      ...{ record: 'EVIDENCE', ...inOrder, source: 'notification', operation: 'authorize', result: 'succeeded' },
      answer: { transactionId: 'T-n', execCode: '0000', amount: 20000 },
    };
    const untagged = { ...intent('a'), tag: undefined } as JournalRecord;
    const { candidates, external } = viewOf(untagged, heard, backOffice(100));
    expect(candidates).toEqual([
      {
        operation: 'authorize',
        result: 'succeeded',
        source: 'notification',
        transactionId: 'T-n',
        execCode: '0000',
        amount: 20000,
      },
    ]);
    expect(external).toEqual([
      {
        ...{ operation: 'refund', result: 'succeeded', transactionId: 'T-x', execCode: '0000', amount: 100 },
        event: {
          id: expect.stringMatching(/^[\w-]{27}$/),
          type: 'payment.operation.external',
          sequence: '0000000000000000002',
        },
      },
    ]);
  });

  it('marks an order whose beginning is missing', () => {
    expect(orderView({ ...orderOf(captured), isPartial: true }).isPartial).toBe(true);
    expect(viewOf(...captured)).not.toHaveProperty('isPartial');
  });

  it('is plain JSON', () => {
    const view = viewOf(...captured, ...refund('r', 5000), backOffice(100));
    expect(JSON.parse(JSON.stringify(view))).toEqual(view);
  });
});

it('names too many reports as what froze an order', () => {
  const reports = Array.from({ length: REPORTS_KEPT + 1 }, (_, n) => {
    const record = backOffice(10) as JournalRecord & { answer: PlatformAnswer };
    return { ...record, rulesVersion: 2, answer: { ...record.answer, transactionId: `T-${n}` } };
  });
  const order = orderOf(reports);
  expect([order.isFrozen, frozenView(order, []).cause]).toEqual([true, 'too_many_reports']);
});
