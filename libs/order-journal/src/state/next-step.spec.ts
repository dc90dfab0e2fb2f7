import { nextStep, OPERATIONS_AT_MOST, referenceFor } from './next-step.js';
import { emptyOrder, type ExternalOperation, type OperationState, type OrderState } from './order-state.js';

function operation(commandId: string, change: Partial<OperationState>): OperationState {
  const terms = { operation: 'authorize', method: 'A', currency: 'EUR', contentHash: 'h', attempt: 1 } as const;
  return { commandId, ...terms, phase: 'ended', attempts: [], evidence: [], ...change };
}
const orderOf = (...operations: OperationState[]): OrderState => ({ ...emptyOrder('shop-fr', 'o'), operations });
const command = { commandId: 'a', contentHash: 'h' };

const many = (count: number) =>
  orderOf(...Array.from({ length: count }, (_, n) => operation(`b${n}`, { end: 'refused' })));

describe('the next step of a command', () => {
  it.each([
    ['never seen', orderOf(), { step: 'attempt', attempt: 1 }],
    ['idle again', orderOf(operation('a', { phase: 'idle', attempt: 2 })), { step: 'attempt', attempt: 2 }],
    ['ended', orderOf(operation('a', { end: 'succeeded' })), { step: 'repeat' }],
    ['redirected', orderOf(operation('a', { phase: 'redirect_required' })), { step: 'repeat' }],
    ['in doubt', orderOf(operation('a', { phase: 'in_doubt' })), { step: 'repeat' }],
    ['open elsewhere', orderOf(operation('a', { phase: 'open' })), { step: 'wait' }],
    ['another one open', orderOf(operation('b', { phase: 'open' })), { step: 'wait' }],
    [
      'another one in doubt: the fold shall say no',
      orderOf(operation('b', { phase: 'in_doubt' })),
      { step: 'attempt', attempt: 1 },
    ],
    ['never seen, one below the most operations', many(OPERATIONS_AT_MOST - 1), { step: 'attempt', attempt: 1 }],
    ['never seen, in an order with the most operations', many(OPERATIONS_AT_MOST), { step: 'full' }],
    [
      'known in an order with more than that',
      orderOf(...many(OPERATIONS_AT_MOST).operations, operation('a', { phase: 'idle', attempt: 2 })),
      { step: 'attempt', attempt: 2 },
    ],
    ['id used for another content', orderOf(operation('a', { contentHash: 'other' })), { step: 'reused' }],
  ])('%s', (_what, order, step) => {
    expect(nextStep(order, command)).toEqual(step);
  });
});

describe('the transaction that a follow-up names', () => {
  const refused = operation('a', { transactionId: 'T1', end: 'refused' });
  const succeeded = operation('b', { transactionId: 'T2', end: 'succeeded' });
  const capture = operation('c', { operation: 'capture', transactionId: 'T3', end: 'succeeded' });
  const captureElsewhere: ExternalOperation = {
    operation: 'capture',
    result: 'succeeded',
    transactionId: 'T9',
    offset: '1',
  };
  const withExternal = (external: ExternalOperation, ...operations: OperationState[]): OrderState => ({
    ...orderOf(...operations),
    external: [external],
  });
  it.each([
    ['capture', orderOf(succeeded, refused), 'T2'],
    ['capture', orderOf(refused), 'T1'],
    ['void', orderOf(succeeded, capture), 'T2'],
    ['refund', orderOf(succeeded, capture), 'T3'],
    ['refund', orderOf(succeeded), undefined],
    ['refund', withExternal(captureElsewhere, succeeded), 'T9'],
    ['refund', withExternal(captureElsewhere, succeeded, capture), 'T3'],
    ['refund', withExternal({ ...captureElsewhere, result: 'refused' }, succeeded), undefined],
    ['refund', orderOf(operation('p', { operation: 'pay', transactionId: 'T4', end: 'succeeded' })), 'T4'],
  ] as const)('of a %s', (kind, order, expected) => {
    expect(referenceFor(order, kind)).toBe(expected);
  });
});
