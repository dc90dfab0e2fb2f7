import { decodeCloudEvent } from '@tranche/contracts';
import { quarantineRecord } from './quarantine-record.js';
import type { Parameters } from '../received-parameters.js';

const record = (parameters: Parameters) => {
  const { event } = decodeCloudEvent(
    quarantineRecord('hash_mismatch', {
      id: 'content',
      parameters,
      receivedAt: '2027-01-02T03:04:05Z',
      from: '192.0.2.1',
    }),
  );
  return event as { id: string; type: string; data: { altered: boolean; reason: string; parameters: Parameters } };
};

describe('a quarantined notification', () => {
  it('holds all that was received, in its order, with its HASH', () => {
    const parameters = [['B', '1'], ['A', ''], ['CARDCODE', 'XXXXXXXXXXXX1234'], ['HASH', 'abc']] as const; // prettier-ignore
    expect(record(parameters)).toMatchObject({
      id: 'content',
      type: 'payment.notification.quarantined',
      data: { reason: 'hash_mismatch', altered: false, parameters },
    });
  });

  it.each([
    ['4111111111111111', 'XXXXXXXXXXXX1111'],
    ['4111 1111 1111 1111', 'XXXX XXXX XXXX 1111'],
  ])('holds no card number: %s', (value, kept) => {
    expect(record([['CARDCODE', value]]).data).toMatchObject({ altered: true, parameters: [['CARDCODE', kept]] });
  });

  it('holds no cryptogram', () => {
    expect(record([['CARDCVV', '123'], ['A', '1']]).data).toMatchObject({ altered: true, parameters: [['A', '1']] }); // prettier-ignore
  });

  it('keeps other long numbers, or it could not be verified again', () => {
    expect(record([['TRANSACTIONID', '20270102030405']]).data).toMatchObject({
      altered: false,
      parameters: [['TRANSACTIONID', '20270102030405']],
    });
  });
});
