import { decodeCloudEvent } from '@tranche/contracts';
import { quarantineRecord } from './quarantine-record.js';
import { notificationParameters } from '@tranche/testing';
import type { QuarantineReason } from './quarantine-record.js';
import type { Parameters } from './received-parameters.js';

const record = (parameters: Parameters, reason: QuarantineReason = 'hash_mismatch') => {
  const { event } = decodeCloudEvent(
    quarantineRecord(reason, {
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

  it.each(['  ', '\t', '\n', '/', ',', '+', '–', ':', '&nbsp;', '\u200b', '%20'])(
    'holds no card number whose groups are parted by %j',
    (separator) => {
      const number = ['4970', '1012', '0004', '0016'].join(separator);
      for (const name of ['MESSAGE', 'ORDERID', 'EXTRADATA'])
        expect(JSON.stringify(record([[name, number]]).data.parameters)).not.toContain('4970');
    },
  );

  it('holds no card number that a byte hides, which is not UTF-8', () => {
    const number = ['4970', '1012', '0004', '0016'].join('\xc2\xa0');
    const data = record([['MESSAGE', 'x', { name: 'MESSAGE', value: `refus\xe9e ${number}` }]]).data;
    expect(data.altered).toBe(true);
    expect(JSON.stringify(data.parameters)).not.toContain('4970');
  });

  it.each(['verification_value', 'cid', 'CustomCVV2', 'code_securite', 'card[cvv]'])(
    'holds no cryptogram under the name %s',
    (name) => expect(record([[name, '123']]).data.parameters).toEqual([]),
  );
  it.each(['cvv is 123', 'CVV code: 123', 'csc 123', 'security code 123'])('holds no cryptogram as in %j', (text) => {
    expect(record([['MESSAGE', text]]).data.parameters).toEqual([['MESSAGE', '(withheld)']]);
  });

  it('keeps a HASH as it came, whatever its digits', () => {
    const hash = '4970101200040016'.padEnd(64, 'a');
    expect(record([['HASH', hash]]).data).toMatchObject({ altered: false, parameters: [['HASH', hash]] });
  });
});

describe('of an unknown IDENTIFIER', () => {
  const genuine: Parameters = [
    ...notificationParameters(),
    ['CARDCODE', 'XXXXXXXXXXXX1234'],
    ['EXTERNALREFERENCE', '000001234'],
    ['HASH', 'a'.repeat(64)],
  ];

  it('all is kept where the names are those of a notification and no value looks like card data', () => {
    expect(record(genuine, 'unknown_identifier').data).toMatchObject({ altered: false, parameters: genuine });
  });

  it.each([
    ['another name', ['COMMENT', 'good day']],
    ['a number of a card', ['DESCRIPTION', '4970 1012 0004 0016']],
    ['a cryptogram', ['CARDCVV', '123']],
  ] as const)('only the names of the parameters are kept with %s', (_what, pair) => {
    const parameters: Parameters = [...genuine.filter(([name]) => name !== pair[0]), pair];
    expect(record(parameters, 'unknown_identifier').data).toMatchObject({
      altered: true,
      parameters: parameters.map(([name]) => [name, '']),
    });
    expect(record(parameters, 'hash_mismatch').data.parameters).toContainEqual(['ORDERID', 'order-1']);
  });

  it('a name that holds a card number is masked', () => {
    const { parameters } = record([['CARD_4970101200040016', '1']], 'unknown_identifier').data;
    expect(parameters).toEqual([['CARD_XXXXXXXXXXXX0016', '']]);
  });
});
