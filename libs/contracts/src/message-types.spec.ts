import { COMMAND_TYPES, EVENT_TYPES, isCommandType, isEventType, operationKind } from './message-types.js';

it('has the five commands', () => {
  expect(COMMAND_TYPES.map(operationKind)).toEqual(['authorize', 'capture', 'refund', 'void', 'pay']);
});

it('has five endings of each operation and the events that are not endings', () => {
  const endings = ['authorize', 'capture', 'refund', 'void', 'pay'].flatMap((operation) =>
    ['succeeded', 'refused', 'rejected', 'in_doubt', 'doubt_resolved'].map(
      (ending) => `payment.${operation}.${ending}`,
    ),
  );
  expect([...EVENT_TYPES].sort()).toEqual(
    [
      ...endings,
      'payment.authorize.redirect_required',
      'payment.authorize.pending',
      'payment.authorize.expired',
      'payment.pay.redirect_required',
      'payment.pay.pending',
      'payment.pay.expired',
      'payment.capture_window.closing',
      'payment.operation.external',
      'payment.conflict.detected',
      'payment.conflict.settled',
      'payment.command.rejected',
    ].sort(),
  );
});

it.each(['', '__proto__', 'constructor', 'payment', 'PAYMENT.PAY', 'payment.pay '])(
  'does not take %j for a type',
  (type) => {
    expect(isCommandType(type)).toBe(false);
    expect(isEventType(type)).toBe(false);
  },
);
