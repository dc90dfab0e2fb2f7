import { EVENT_TYPES } from '../message-types.js';
import { EVENT_VALUES } from './payment-event.js';
import { EVENT_REQUIREMENTS, validateEventData } from './event-requirements.js';
import { validateAuthEventData, validateCseEventData } from './service-events.js';

const succeeded = {
  merchant: 'shop-fr',
  orderId: 'order-1',
  commandId: 'c1',
  operation: 'capture',
  attempt: 1,
  origin: 'answer',
  execCode: '0000',
};

it('every type has its requirements', () => {
  expect(Object.keys(EVENT_REQUIREMENTS).sort()).toEqual([...EVENT_TYPES].sort());
});

it.each([
  ['payment.capture.succeeded', ['merchant', 'orderId', 'commandId', 'operation', 'attempt', 'origin']],
  ['payment.void.rejected', ['merchant', 'orderId', 'commandId', 'operation', 'faults']],
  ['payment.pay.doubt_resolved', ['merchant', 'orderId', 'commandId', 'operation', 'attempt', 'outcome', 'origin']],
  ['payment.authorize.redirect_required', ['merchant', 'orderId', 'commandId', 'operation', 'attempt']],
  ['payment.operation.external', ['merchant', 'orderId', 'origin']],
  ['payment.conflict.detected', ['merchant', 'orderId', 'flags']],
  ['payment.command.rejected', ['faults']],
] as const)('%s has at least %j', (type, fields) => expect(EVENT_REQUIREMENTS[type]).toEqual(fields));

it('ignores fields that it does not know', () => {
  expect(validateEventData('payment.capture.succeeded', { ...succeeded, addedLater: { x: 1 } }).value).toEqual(
    succeeded,
  );
});

it('accepts an OPERATIONTYPE that we do not know', () => {
  const credited = {
    merchant: 'shop-fr',
    orderId: 'order-1',
    operationType: 'credit',
    transactionId: 'T-1',
    execCode: '0000',
    origin: 'notification',
  };
  expect(validateEventData('payment.operation.external', credited)).toEqual({ value: credited, faults: [] });
});

it('takes a fault code that was added later', () => {
  const faults = [{ path: '', code: 'added_later', message: 'x' }];
  expect(validateEventData('payment.command.rejected', { merchant: '', orderId: '', faults }).faults).toEqual([]);
});

it.each(Object.keys(EVENT_VALUES))(
  'takes a value of %s that was added later: a reader that refused it would lose the event',
  (field) => {
    expect(validateEventData('payment.capture.succeeded', { ...succeeded, [field]: 'added-later' }).faults).toEqual([]);
  },
);

it.each([
  ['payment.capture.succeeded', { ...succeeded, origin: 5 }, 'origin', 'type'],
  ['payment.capture.succeeded', { ...succeeded, attempt: 0 }, 'attempt', 'range'],
  ['payment.capture.succeeded', { ...succeeded, orderId: '' }, 'orderId', 'required'],
  [
    'payment.capture.rejected',
    { ...succeeded, faults: [{ path: 1, code: 'x', message: 'x' }] },
    'faults[0].path',
    'type',
  ],
  ['payment.capture.settled', succeeded, 'type', 'unknown_type'],
])('%s: %j is refused at %s as %s', (type, event, path, code) => {
  expect(validateEventData(type, event).faults).toMatchObject([{ path, code }]);
});

it('takes the events of the two services', () => {
  expect(
    validateAuthEventData('auth.token.refreshed', { account: 'a', fingerprint: 'f', expiresInSeconds: 43200 }).faults,
  ).toEqual([]);
  expect(validateAuthEventData('auth.token.refreshed', {}).faults).toMatchObject([
    { path: 'account', code: 'required' },
  ]);
  expect(validateAuthEventData('cse.key.seen', { account: 'a' }).faults).toMatchObject([{ code: 'unknown_type' }]);
  expect(
    validateCseEventData('cse.key.seen', { apiKeyId: 'k', encryptionKeyId: 'e', fingerprint: 'f' }).faults,
  ).toEqual([]);
  expect(validateCseEventData('cse.key.seen', {}).faults).toMatchObject([{ path: 'apiKeyId', code: 'required' }]);
});
