import { codeOfApproval, codeOfDecision, expireIfOverdue, judgeFollowUp, type FollowUp } from './state-machine.js';
import type { Transaction } from './transaction.js';

const NOW = Date.UTC(2027, 0, 10);
const DAY_MS = 86_400_000;

const authorization = (changes: Partial<Transaction> = {}): Transaction => ({
  transactionId: 'a',
  initialId: 'a',
  identifier: 'Shop',
  orderId: 'order-1',
  operationType: 'authorization',
  method: 'A',
  amount: 30_000,
  version: '3.0',
  externalReference: '1',
  createdAtMs: NOW,
  state: 'succeeded',
  execCode: '0000',
  succeededAtMs: NOW,
  isCaptured: false,
  refundedAmount: 0,
  ...changes,
});
const capture = (changes: Partial<Transaction> = {}) => authorization({ operationType: 'capture', ...changes });

type Row = [title: string, followUp: FollowUp, reference: Transaction | undefined, expected: string | number];

const captures: Row[] = [
  ['unknown', { type: 'capture' }, undefined, '2002'],
  ['the whole amount by default', { type: 'capture' }, authorization(), 30_000],
  ['exactly the amount', { type: 'capture', amount: 30_000 }, authorization(), 30_000],
  ['less', { type: 'capture', amount: 1 }, authorization(), 1],
  ['one cent more', { type: 'capture', amount: 30_001 }, authorization(), '2007'],
  ['a second time', { type: 'capture' }, authorization({ isCaptured: true }), '2005'],
  ['after a void', { type: 'capture' }, authorization({ state: 'voided' }), '2005'],
  ['a capture', { type: 'capture' }, capture(), '2005'],
  ['while on the form', { type: 'capture' }, authorization({ state: 'redirected' }), '2006'],
  ['while waiting for approval', { type: 'capture' }, authorization({ state: 'pending' }), '2006'],
  ['what was refused', { type: 'capture' }, authorization({ state: 'refused' }), '2003'],
  ['what has expired', { type: 'capture' }, authorization({ state: 'expired' }), '2009'],
  ['at the end of the 7 days', { type: 'capture' }, authorization({ succeededAtMs: NOW - 7 * DAY_MS }), 30_000],
  ['a moment later', { type: 'capture' }, authorization({ succeededAtMs: NOW - 7 * DAY_MS - 1 }), '2009'],
  ['of method B', { type: 'capture' }, authorization({ method: 'B' }), 30_000],
];

const refunds: Row[] = [
  ['unknown', { type: 'refund' }, undefined, '2002'],
  ['the whole rest by default', { type: 'refund' }, capture({ refundedAmount: 10_000 }), 20_000],
  ['exactly the rest', { type: 'refund', amount: 20_000 }, capture({ refundedAmount: 10_000 }), 20_000],
  ['one cent more than the rest', { type: 'refund', amount: 20_001 }, capture({ refundedAmount: 10_000 }), '2008'],
  ['when nothing is left', { type: 'refund' }, capture({ refundedAmount: 30_000 }), '2008'],
  ['a payment', { type: 'refund' }, authorization({ operationType: 'payment' }), 30_000],
  ['an authorization', { type: 'refund' }, authorization(), '2004'],
  ['a refund', { type: 'refund' }, authorization({ operationType: 'refund' }), '2004'],
  ['a capture that was refused', { type: 'refund' }, capture({ state: 'refused' }), '2003'],
];

const voids: Row[] = [
  ['unknown', { type: 'void' }, undefined, '2002'],
  ['an authorization', { type: 'void' }, authorization(), 30_000],
  ['a card authorization', { type: 'void' }, authorization({ method: 'card' }), 30_000],
  ['an authorization of method B', { type: 'void' }, authorization({ method: 'B' }), '2015'],
  ['after its capture', { type: 'void' }, authorization({ isCaptured: true }), '2015'],
  ['a second time', { type: 'void' }, authorization({ state: 'voided' }), '2015'],
  ['a capture', { type: 'void' }, capture(), '2015'],
  ['a payment', { type: 'void' }, authorization({ operationType: 'payment' }), '2015'],
  ['while on the form', { type: 'void' }, authorization({ state: 'redirected' }), 30_000],
  ['while it waits for approval', { type: 'void' }, authorization({ state: 'pending' }), 30_000],
  ['what was refused', { type: 'void' }, authorization({ state: 'refused' }), '2003'],
];

describe.each([
  ['capture', captures],
  ['refund', refunds],
  ['void', voids],
])('judgeFollowUp: %s', (_type, rows) => {
  it.each(rows)('%s', (_title, followUp, reference, expected) => {
    const verdict = judgeFollowUp(followUp, reference, NOW);
    expect('execCode' in verdict ? verdict.execCode : verdict.amount).toBe(expected);
  });
});

describe('codeOfDecision', () => {
  it.each([
    ['A', 'validate', '0000'],
    ['A', 'pending', undefined],
    ['A', 'refuse', '4001'],
    ['A', 'abandon', '4004'],
    ['B', 'validate', '0000'],
    ['B', 'pending', '0003'],
    ['B', 'refuse', '4001'],
    ['B', 'abandon', '4004'],
  ] as const)('method %s, %s → %s', (method, decision, expected) => {
    expect(codeOfDecision(decision, authorization({ state: 'redirected', method }))).toBe(expected);
  });

  it.each(['pending', 'succeeded', 'refused', 'expired', 'voided'] as const)(
    'returns undefined if it is %s',
    (state) => {
      expect(codeOfDecision('validate', authorization({ state }))).toBeUndefined();
    },
  );
});

describe('codeOfApproval', () => {
  it('works only for a pending transaction', () => {
    expect(codeOfApproval('approve', authorization({ state: 'pending' }))).toBe('0000');
    expect(codeOfApproval('refuse', authorization({ state: 'pending' }))).toBe('4001');
    expect(codeOfApproval('approve', authorization({ state: 'redirected' }))).toBeUndefined();
    expect(codeOfApproval('approve', authorization({ state: 'expired' }))).toBeUndefined();
  });
});

describe('expireIfOverdue', () => {
  it.each([
    ['a moment before 6 days', NOW - 6 * DAY_MS + 1, 'pending', 'pending'],
    ['after 6 days', NOW - 6 * DAY_MS, 'pending', 'expired'],
    ['after 6 days, but decided', NOW - 6 * DAY_MS, 'succeeded', 'succeeded'],
  ] as const)('%s', (_title, pendingSinceMs, state, expected) => {
    expect(expireIfOverdue(authorization({ state, pendingSinceMs }), NOW).state).toBe(expected);
  });
});
