import { notificationParameters } from '@tranche/testing';
import { validateNotificationData } from './payment-notification.js';
import { readNotification } from './read-notification.js';

const AT = '2028-01-31T10:00:00Z';
const read = (overrides: Record<string, string | undefined> = {}) =>
  readNotification('shop-fr', notificationParameters(overrides), AT);

it('reads a notification of every documented parameter without a flag [Events.A.*] [Events.B.*]', () => {
  const { parameters, ...fields } = read({ HASH: 'a'.repeat(64) });
  expect(fields).toEqual({
    merchant: 'shop-fr',
    orderId: 'order-1',
    identifier: 'Demo Shop FR',
    operationType: 'authorization',
    transactionId: 'T0000000001',
    execCode: '0000',
    amount: 30000,
    currency: 'EUR',
    message: 'The transaction has been accepted.',
    descriptor: 'SHOP FR',
    language: 'fr',
    extraData: 'basket=42',
    clientEmail: parameters.CLIENTEMAIL,
    clientIdent: parameters.CLIENTIDENT,
    flags: [],
    receivedAt: AT,
  });
  expect(parameters).toEqual(Object.fromEntries(notificationParameters()));
});

it('reads the two fields of a method B refund [Events.B.refund]', () => {
  const ofRefund = { OPERATIONTYPE: 'refund', EXTERNALENTITYID: '1234567890', EXTERNALREFERENCE: '1234' };
  const notification = readNotification('shop-fr', notificationParameters(ofRefund), AT);
  expect(notification).toMatchObject({
    operationType: 'refund',
    externalEntityId: '1234567890',
    externalReference: '000001234',
    flags: [],
  });
});

describe('blanks around a value', () => {
  it('are no part of it, but the parameters stay as received', () => {
    const blank = { TRANSACTIONID: 'T1 ', EXECCODE: ' 0000', AMOUNT: '30000\t', LANGUAGE: 'fr\u00a0', VERSION: '3.0 ' };
    const notification = read({ ...blank, IDENTIFIER: ' Demo Shop FR ', OPERATIONTYPE: 'authorization\r\n' });
    expect(notification).toMatchObject({
      ...{ transactionId: 'T1', execCode: '0000', amount: 30000, language: 'fr' },
      ...{ identifier: 'Demo Shop FR', operationType: 'authorization', flags: [] },
    });
    expect(notification.parameters).toMatchObject(blank);
  });

  it('alone are no value', () => {
    expect(read({ TRANSACTIONID: '  ' }).transactionId).toBeUndefined();
    expect(read({ EXECCODE: ' ' })).toMatchObject({ execCode: '', flags: ['missing_parameters'] });
  });

  it.each([
    [' basket ', ' basket '],
    [' basket|tr1.AbCdEfGhIjKl.1 \r\n', ' basket|tr1.AbCdEfGhIjKl.1'],
  ])('belong to the shop in its own texts, unless they follow our tag: %j', (EXTRADATA, extraData) => {
    expect(read({ EXTRADATA, ORDERID: ' order-1' })).toMatchObject({ extraData, orderId: ' order-1' });
  });

  it('do not make another case the same id', () => {
    expect(read({ TRANSACTIONID: 't0000000001' }).transactionId).toBe('t0000000001');
  });
});

describe('limits of what method B adds', () => {
  it.each([
    [
      'EXTERNALENTITYID',
      'externalEntityId',
      [
        ['1', '1'],
        ['1234567890', '1234567890'],
      ],
      ['12345678901', 'x', '-1', '1.5'],
    ],
    [
      'EXTERNALREFERENCE',
      'externalReference',
      [
        ['1', '000000001'],
        ['000000001', '000000001'],
        ['123456789', '123456789'],
      ],
      ['1234567890', 'x', '-1'],
    ],
  ] as const)('%s', (name, field, accepted, odd) => {
    expect(accepted.map(([value]) => read({ [name]: value })[field])).toEqual(accepted.map(([, expected]) => expected));
    for (const value of odd) {
      const notification = read({ [name]: value });
      expect(notification[field]).toBeUndefined();
      expect(notification.parameters[name]).toBe(value);
      expect(notification.flags).toHaveLength(1);
    }
  });
});

describe('anomalies are flagged and never lost', () => {
  it('not_utf8', () => {
    const pairs = [...Object.entries({ IDENTIFIER: 'S', ORDERID: '1' }), ['MESSAGE', 'Opération', {}]] as const;
    const { flags, message } = readNotification(
      'shop',
      pairs as readonly (readonly [string, string, object?])[],
      '2027-01-02T03:04:05Z',
    );
    expect(message).toBe('Opération');
    expect(flags).toContain('not_utf8');
  });

  it.each([
    ['unknown_language', { LANGUAGE: 'xx' }, { language: 'xx' }],
    ['unknown_execcode', { EXECCODE: '4999' }, { execCode: '4999' }],
    ['unknown_operation', { OPERATIONTYPE: 'settlement' }, { operationType: 'settlement' }],
    ['unknown_version', { VERSION: '4.0' }, {}],
    ['extra_parameters', { NEWFIELD: 'x' }, {}],
    ['extra_parameters', { __proto__: 'x', constructor: 'y' }, {}],
    ['missing_parameters', { ORDERID: undefined }, { orderId: '' }],
    ['missing_parameters', { EXECCODE: '' }, { execCode: '' }],
    ['invalid_order_id', { ORDERID: 'x'.repeat(41) }, { orderId: 'x'.repeat(41) }],
    ['invalid_currency', { CURRENCY: 'eur' }, { currency: 'eur' }],
    ['invalid_currency', { CURRENCY: 'EURO' }, { currency: 'EURO' }],
    ['invalid_amount', { AMOUNT: '12.50' }, {}],
    ['invalid_amount', { AMOUNT: '99999999999999999' }, {}],
  ])('%s: %j', (flag, overrides, expected) => {
    const notification = read(overrides);
    expect(notification.flags).toEqual([flag]);
    expect(notification).toMatchObject(expected);
    if (flag === 'invalid_amount') expect(notification.amount).toBeUndefined();
    for (const [name, value] of Object.entries(overrides))
      if (value !== undefined) expect(notification.parameters[name]).toBe(value);
  });

  it.each(['fr', 'en', 'de', 'es', 'it', 'nl', 'zh', 'ru', 'pt', 'sk', 'cs'])('takes the language %s', (LANGUAGE) => {
    expect(read({ LANGUAGE }).flags).toEqual([]);
  });

  it.each([
    ['sk', { OPERATIONTYPE: 'refund', EXTERNALENTITYID: '1' }, ['unknown_language']],
    ['cs', { OPERATIONTYPE: 'refund', EXTERNALREFERENCE: '1' }, []],
    ['cs', { OPERATIONTYPE: 'void' }, ['unknown_language']],
    ['sk', { OPERATIONTYPE: 'void' }, []],
    ['cs', { OPERATIONTYPE: 'payment' }, []],
    ['sk', { OPERATIONTYPE: 'payment' }, []],
  ])('flags the language %s by the method that %j tells: %j', (LANGUAGE, of, flags) => {
    expect(read({ LANGUAGE, ...of }).flags).toEqual(flags);
  });

  it.each([
    [true, ['CARDFULLNAME', 'CLIENTEMAIL', 'CLIENTIDENT', 'CLIENTIP']],
    [false, []],
  ])('keeps what names the buyer: %s', (keeps, kept) => {
    const more = { CARDFULLNAME: 'Jeanne', CLIENTIP: '192.0.2.1' };
    const { parameters, flags } = readNotification('shop-fr', notificationParameters(more), AT, keeps);
    expect(
      Object.keys(parameters)
        .filter((name) => /^CLIENT|FULLNAME/.test(name))
        .sort(),
    ).toEqual(kept);
    expect([parameters.ORDERID !== undefined, flags]).toEqual([true, []]);
  });

  it('keeps the first of two values', () => {
    const notification = readNotification('shop-fr', [...notificationParameters(), ['ORDERID', 'other']], AT);
    expect(notification).toMatchObject({ orderId: 'order-1', flags: ['duplicate_parameters'] });
  });

  it('takes prototype names as any others, also over the wire', () => {
    const notification = readNotification(
      'shop-fr',
      [...notificationParameters(), ['__proto__', 'x'], ['constructor', 'y'], ['toString', 'z']],
      AT,
    );
    const received = JSON.parse(JSON.stringify(notification)) as unknown;
    const { value } = validateNotificationData(received);
    expect(Object.keys(value?.parameters ?? {})).toEqual(
      expect.arrayContaining(['__proto__', 'constructor', 'toString']),
    );
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });
});

it('reads the card of a payment: masked number, brand and country', () => {
  const card = {
    OPERATIONTYPE: 'payment',
    CARDCODE: 'XXXXXXXXXXXX1234',
    CARDTYPE: 'VISA',
    SELECTEDBRAND: 'cb',
    CARDCOUNTRY: 'FR',
  };
  const shown = {
    maskedCard: 'XXXXXXXXXXXX1234',
    cardBrand: 'VISA',
    selectedBrand: 'cb',
    cardCountry: 'FR',
    flags: [],
  };
  expect(read(card)).toMatchObject(shown);
  expect(read({ ...card, CARDTYPE: '' }).cardBrand).toBe('cb');
  expect(read({ ...card, CARDCODE: '4111111111111111' }).maskedCard).toBe('XXXXXXXXXXXX1111');
  const { maskedCard, cardBrand, cardCountry } = read();
  expect([maskedCard, cardBrand, cardCountry]).toEqual([undefined, undefined, undefined]);
  expect(validateNotificationData(JSON.parse(JSON.stringify(read(card)))).value).toEqual(read(card));
});

it.each([true, false])('names the buyer only where the merchant keeps that: %s', (keeps) => {
  const buyer = {
    CARDVALIDITYDATE: '12-29',
    CARDFULLNAME: 'Camille Martin',
    CLIENTEMAIL: 'camille@example.com',
    CLIENTIDENT: 'customer-1',
  };
  const { cardValidUntil, cardFullName, clientEmail, clientIdent } = readNotification(
    'shop-fr',
    Object.entries({ OPERATIONTYPE: 'payment', ...buyer }),
    '2028-01-01T00:00:00Z',
    keeps,
  );
  const named = [cardValidUntil, cardFullName, clientEmail, clientIdent];
  expect(named).toEqual(keeps ? Object.values(buyer) : named.map(() => undefined));
});

describe('card data that should not have come', () => {
  it('keeps a masked card number [Events.emitted.payment]', () => {
    expect(read({ CARDCODE: 'XXXXXXXXXXXX1234', CARDVALIDITYDATE: '12-30' })).toMatchObject({
      flags: [],
      parameters: { CARDCODE: 'XXXXXXXXXXXX1234' },
    });
    expect(read({ CARDCODE: '411111XXXXXX1111' }).flags).toEqual([]);
    expect(read({ CARDCODE: '41111111****1111' }).flags).toEqual([]);
  });

  it.each([
    ['4111  1111  1111  1111', 'XXXX  XXXX  XXXX  1111'],
    ['4111 - 1111 - 1111 - 1111', 'XXXX - XXXX - XXXX - 1111'],
    ['4111\r\n1111\r\n1111\r\n1111', 'XXXX\r\nXXXX\r\nXXXX\r\n1111'],
  ])('masks one whose groups are far apart: %j', (plain, masked) => {
    const notification = read({ CARDCODE: plain });
    expect([notification.maskedCard, notification.parameters.CARDCODE]).toEqual([masked, masked]);
    expect(notification.flags).toEqual(['card_data_removed']);
  });

  it('masks a plain one and drops a CVV', () => {
    const notification = read({ CARDCODE: '4111 1111 1111 1111', CARDCVV: '123' });
    expect(notification.parameters.CARDCODE).toBe('XXXX XXXX XXXX 1111');
    expect(notification.parameters.CARDCVV).toBeUndefined();
    expect(notification.flags).toEqual(['card_data_removed']);
  });
});

it('a reader ignores fields that it does not know', () => {
  const notification = { ...read(), addedLater: 1 };
  expect(validateNotificationData(notification).value).toEqual(read());
});
