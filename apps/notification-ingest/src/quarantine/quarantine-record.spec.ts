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

  const CARD = '4970101234560013';
  const names =
    'CARDCODE cardcode CARD_NUMBER cardNumber card-no ccnumber pan FPAN primaryAccountNumber track2 creditcard CARD X comment NOTE ' +
    'DESCRIPTION EXTRADATA ORDERID HASH CLIENTEMAIL';
  it.each(names.split(' '))('holds no card number under the name %s', (name) => {
    const fourGroups = CARD.replace(/(\d{4})(?=\d)/g, '$1 ');
    const data = record([[name, CARD], [name, `paid with ${fourGroups}, thanks`], [`${name}_${CARD}`, '']]).data; // prettier-ignore
    expect(data.altered).toBe(true);
    expect(JSON.stringify(data).replace(/[ .-]/g, '')).not.toContain(CARD.slice(0, 12));
  });

  it.each(['CVV', 'cvc2', 'Card-CVV', 'securityCode', 'CARDCRYPTOGRAM', 'csc'])(
    'holds no cryptogram under the name %s, nor in a text',
    (name) => {
      expect(record([[name, '123']]).data.parameters).toEqual([]);
      expect(record([['NOTE', 'my cvv: 987']]).data.parameters).toEqual([['NOTE', 'my (withheld)']]);
    },
  );
});
