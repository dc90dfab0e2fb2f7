import { TOPICS, type PaymentNotification } from '@tranche/contracts';
import { notificationEvidence, tagExtraData } from '@tranche/order-journal';
import { notifiedResult } from '@tranche/platform';
import { aNotification } from '@tranche/testing';

const AT = '2026-03-01T10:00:00.000Z';
const evidenceOf = (notification: PaymentNotification, at: string) =>
  notificationEvidence(notification, notifiedResult(notification), at);

it.each([
  ['0000', 'succeeded'],
  ['0001', 'redirect_required'],
  ['0002', 'redirect_required'],
  ['0003', 'pending'],
  ['0004', 'succeeded'],
  ['2005', 'refused'],
  ['2017', 'not_executed'],
  ['4004', 'refused'],
  ['5001', 'not_executed'],
  ['5004', 'in_doubt'],
  ['7777', 'in_doubt'],
  ['4998', 'refused'],
])('EXECCODE %s proves %s', (execCode, result) => {
  expect(evidenceOf(aNotification({ execCode }), AT)).toMatchObject({ result, answer: { execCode } });
});

it.each([
  ['authorization', 'authorize'],
  ['capture', 'capture'],
  ['refund', 'refund'],
  ['void', 'void'],
  ['payment', 'pay'],
])('OPERATIONTYPE %s is of %s [Events.kinds]', (operationType, operation) => {
  expect(evidenceOf(aNotification({ operationType }), AT).operation).toBe(operation);
});

it.each(['credit', 'constructor', '__proto__', 'AUTHORIZATION'])(
  'OPERATIONTYPE %p is none of ours, and is kept',
  (operationType) => {
    const evidence = evidenceOf(aNotification({ operationType }), AT);
    expect([evidence.operation, evidence.operationType]).toEqual([undefined, operationType]);
  },
);

it('keeps a notification without an OPERATIONTYPE, and of an endless one its beginning', () => {
  expect(evidenceOf(aNotification({ operationType: '' }), AT)).not.toHaveProperty('operationType');
  expect(evidenceOf(aNotification({ operationType: 'x'.repeat(5000) }), AT).operationType).toHaveLength(64);
});

it('flags no OPERATIONTYPE of an operation of ours', () => {
  expect(evidenceOf(aNotification({ operationType: 'refund' }), AT)).not.toHaveProperty('operationType');
});

it('gives the caller’s own EXTRADATA whole where the tag had no room', () => {
  const { extraData, isTagged } = tagExtraData('x'.repeat(250), 'command-1', 1);
  expect([isTagged, evidenceOf(aNotification({ extraData }), AT).extraData]).toEqual([false, 'x'.repeat(250)]);
});

it('shows nothing of the tag where the caller had no EXTRADATA', () => {
  const { extraData } = tagExtraData(undefined, 'command-1', 1);
  expect(evidenceOf(aNotification({ extraData }), AT)).not.toHaveProperty('extraData');
});

it('carries the references of a refund of method B', () => {
  const details = { operationType: 'refund', externalEntityId: '4711', externalReference: '000012345' };
  expect(evidenceOf(aNotification(details), AT)).toMatchObject({
    externalEntityId: '4711',
    externalReference: '000012345',
  });
});

it('gives the tag to the fold and the caller’s own EXTRADATA to the event', () => {
  const { extraData } = tagExtraData('basket 7', 'command-1', 2);
  expect(evidenceOf(aNotification({ extraData }), AT)).toMatchObject({ extraData: 'basket 7', tag: { attempt: 2 } });
});

it('marks a partial acceptance', () => {
  expect(evidenceOf(aNotification({ execCode: '0004', amount: 900 }), AT)).toMatchObject({
    partial: true,
    answer: { amount: 900 },
  });
});

it.each([
  ['2005', true],
  ['2015', true],
  ['4001', undefined],
])('EXECCODE %s may mean "already done": %p', (execCode, mayBeDone) => {
  expect(evidenceOf(aNotification({ execCode }), AT).mayBeDone).toBe(mayBeDone);
});

it('fits a journal record, however long the platform’s fields are, and names the cut fields', () => {
  const long = '\u0001'.repeat(1_000_000);
  const evidence = evidenceOf(
    aNotification({ execCode: long, message: long, descriptor: long, extraData: long, operationType: long }),
    AT,
  );
  expect(evidence.answer).toMatchObject({ execCodeTruncated: true, messageTruncated: true, descriptorTruncated: true });
  expect(evidence.flags).toEqual(['extra_data_dropped']);
  expect(evidence.extraData).toBeUndefined();
  expect(Buffer.byteLength(JSON.stringify(evidence))).toBeLessThan(TOPICS.journal.maxMessageBytes / 4);
});

it('keeps odd values, and leaves out values that do not fit', () => {
  const evidence = evidenceOf(
    aNotification({ flags: ['invalid_amount'], transactionId: 'x'.repeat(33), message: 'x'.repeat(5000) }),
    AT,
  );
  expect(evidence).toMatchObject({ flags: ['invalid_amount'], answer: { messageTruncated: true } });
  expect(evidence.answer.transactionId).toBeUndefined();
});
