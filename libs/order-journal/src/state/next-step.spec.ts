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
    ['never seen, in an order with the most operations', many(OPERATIONS_AT_MOST), { step: 'not_taken' }],
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

describe('the transaction that a follow-up names where its command names none', () => {
  const refused = operation('a', { transactionId: 'T1', end: 'refused' });
  const succeeded = operation('b', { transactionId: 'T2', end: 'succeeded', amount: 100 });
  const second = operation('b2', { transactionId: 'T5', end: 'succeeded', amount: 100 });
  const waits = operation('w', { transactionId: 'T6', phase: 'redirect_required' });
  const unnamed = operation('u', { end: 'succeeded' });
  const pay = operation('p', { operation: 'pay', transactionId: 'T4', end: 'succeeded', amount: 100 });
  const captureOf = (commandId: string, transactionId: string, reference: string) =>
    operation(commandId, { operation: 'capture', transactionId, reference, end: 'succeeded', amount: 100 });
  const capture = captureOf('c', 'T3', 'T2');
  const voided = (reference: string, more: Partial<OperationState> = {}) =>
    operation(`v ${reference}`, { operation: 'void', reference, transactionId: 'T8', end: 'succeeded', ...more });
  const refunded = (reference: string, amount: number) =>
    operation(`r ${reference}`, { operation: 'refund', reference, transactionId: 'T7', end: 'succeeded', amount });
  const elsewhere: ExternalOperation = { result: 'succeeded', transactionId: 'T9', offset: '1' };
  const captureElsewhere: ExternalOperation = { ...elsewhere, operation: 'capture', amount: 100 };
  const withExternal = (external: ExternalOperation, ...operations: OperationState[]): OrderState => ({
    ...orderOf(...operations),
    external: [external],
  });
  it.each([
    ['capture', 'the one that succeeded', orderOf(succeeded, refused), 'T2'],
    ['capture', 'one that was refused, so that the guards say so', orderOf(refused), 'T1'],
    ['capture', 'one that is not voided', orderOf(succeeded, second, voided('T5')), 'T2'],
    ['capture', 'the newest of voided ones', orderOf(succeeded, second, voided('T2'), voided('T5')), 'T5'],
    ['capture', 'one that waits', orderOf(succeeded, voided('T2'), waits), 'T6'],
    ['capture', 'one made elsewhere', withExternal({ ...elsewhere, operation: 'authorize' }, refused), 'T9'],
    [
      'capture',
      'none whose form was voided, though it succeeded',
      orderOf(succeeded, second, voided('T5', { isOfWaiting: true })),
      'T2',
    ],
    ['void', 'the one that succeeded', orderOf(succeeded, capture), 'T2'],
    ['void', 'one that is not voided', orderOf(succeeded, second, voided('T5')), 'T2'],
    ['void', 'one that waits and is not voided', orderOf(operation('x', { ...waits, transactionId: 'T0' }), waits, voided('T6')), 'T0'], // prettier-ignore
    ['void', 'one that succeeded after its void', orderOf(succeeded, voided('T2', { isOfWaiting: true })), 'T2'],
    ['refund', 'the capture', orderOf(succeeded, capture), 'T3'],
    ['refund', 'none without a capture', orderOf(succeeded), undefined],
    ['refund', 'a capture made elsewhere', withExternal(captureElsewhere, succeeded), 'T9'],
    ['refund', 'none that was refused elsewhere', withExternal({ ...captureElsewhere, result: 'refused' }), undefined],
    ['refund', 'a card payment', orderOf(pay), 'T4'],
    ['refund', 'the capture of a card payment', orderOf(pay, captureOf('c', 'T3', 'T4')), 'T3'],
    ['refund', 'the one with money left', orderOf(capture, captureOf('c2', 'T10', 'T5'), refunded('T10', 100)), 'T3'],
    ['refund', 'the one that is wholly refunded, where it is alone', orderOf(capture, refunded('T3', 100)), 'T3'],
  ] as const)('of a %s: %s', (kind, _which, order, transactionId) => {
    expect(referenceFor(order, kind)).toEqual({ transactionId });
  });

  it.each([
    ['capture', 'two that succeeded', orderOf(succeeded, second), 'T2 (command b), T5 (command b2)'],
    [
      'capture',
      'two, one of which was captured',
      orderOf(succeeded, capture, second),
      'T2 (command b), T5 (command b2)',
    ],
    ['capture', 'one without TRANSACTIONID', orderOf(succeeded, unnamed), /T2 \(command b\), one .* \(command u\)$/],
    [
      'capture',
      'one made elsewhere',
      withExternal({ ...elsewhere, operation: 'pay' }, succeeded),
      /T9 \(made elsewhere\)$/,
    ],
    ['void', 'two that succeeded', orderOf(succeeded, second), 'T2 (command b), T5 (command b2)'],
    [
      'void',
      'one that succeeded and one that waits',
      orderOf(succeeded, waits),
      /^is .* T2 \(command b\), T6 \(command/,
    ],
    [
      'refund',
      'two with money left',
      orderOf(capture, captureOf('c2', 'T10', 'T5'), refunded('T10', 99)),
      'T3 (command c), T10 (command c2)',
    ],
    ['refund', 'one made elsewhere', withExternal(captureElsewhere, succeeded, capture), /T9 \(made elsewhere\)$/],
  ] as const)('of a %s is refused for %s', (kind, _which, order, names) => {
    const { transactionId, fault } = referenceFor(order, kind);
    expect([transactionId, fault?.path, fault?.code]).toEqual([undefined, 'transactionId', 'transaction_ambiguous']);
    expect(fault?.message).toMatch(names);
  });
});
