import { invalidParameter } from './field-formats.js';

const x = (length: number) => 'x'.repeat(length);

/** Values on both sides of each limit of the interface: [name, good, bad]. */
const everywhere: [name: string, good: string[], bad: string[]][] = [
  ['IDENTIFIER', [x(32)], [x(33)]],
  ['ORDERID', [x(40)], [x(41)]],
  ['AMOUNT', ['1', '200000'], ['0', '-1', '1.5', '1e3', 'ten']],
  ['DESCRIPTION', [x(510), '😀'.repeat(510)], [x(511)]],
  ['EXTRADATA', ['', x(255)], [x(256)]],
];
const instalments: [name: string, good: string[], bad: string[]][] = [
  ['CLIENTIP', ['203.0.113.9', '0.0.0.0', '255.255.255.255'], ['256.1.1.1', '1.1.1', '1.1.1.1.1', '::1']],
  ['BILLINGTITLE', ['mr', 'miss', 'mrs'], ['Mr', 'ms']],
  ['BILLINGFIRSTNAME', [x(15)], [x(16)]],
  ['SHIPTOLASTNAME', [x(30)], [x(31)]],
  ['BILLINGPOSTALCODE', [x(9)], [x(10)]],
  ['SHIPTOCOUNTRY', ['FR'], ['FRA', 'F']],
  ['CART[0][TOTALAMOUNT]', ['30000'], ['300.00']],
  ['CART[12][TAX]', ['20', '5.5'], ['5,5', '.5']],
];
const ofA: [name: string, good: string[], bad: string[]][] = [
  ['PAYMENTOPTION', ['partnerA-3xcb', 'partnerA-1euro'], ['partnerA-unknown']],
  ['CLIENTEMAIL', ['jane+x@example.com', `${x(249)}@x.com`], ['jane', 'a@b', `${x(250)}@x.com`]],
  ['CLIENTIDENT', [x(255)], [x(256)]],
  ['CLIENTDOB', ['1990-02-28', '2000-02-29'], ['1990-02-30', '28-02-1990', '1990-2-3']],
  ['PRESCORINGCODE', [x(20)], [x(21)]],
  ['BILLINGADDRESS', [x(50)], [x(51), 'a\nb']],
  ['SHIPTOADDRESS', [x(50)], [x(51)]],
  ['BILLINGCITY', [x(255)], [x(256)]],
  ['SHIPTOPHONE', ['+33123456789'], ['0123456789', `+${'1'.repeat(32)}`]],
];
const ofB: [name: string, good: string[], bad: string[]][] = [
  ['PAYMENTOPTION', ['partnerB-3x', 'partnerB-4xsansfrais'], ['partnerB-unknown']],
  ['CLIENTEMAIL', ['jane@example.com', x(100)], ['jane+x@example.com', x(101)]],
  ['CLIENTIDENT', [x(128)], [x(129)]],
  ['BILLINGADDRESS', [x(38)], [x(39), 'a\r\nb']],
  ['SHIPTOCITY', [x(32)], [x(33)]],
  ['BILLINGMOBILEPHONE', ['+33612345678', `+${'1'.repeat(14)}`], ['0612345678', `+${'1'.repeat(15)}`]],
  ['CART[0][QUANTITY]', ['1', '999'], ['1000', 'one']],
  ['CART[0][CATEGORY]', ['toysandgames'], ['toys']],
  ['CART[0][DELIVERYSPEED]', ['express'], ['fast']],
  ['CART[0][DELIVERYTYPE]', ['edelivery'], ['pigeon']],
  ['CART[0][DELIVERYEXPECTEDDELAY]', ['1', '3'], ['0', '4']],
  ['CART[0][DELIVERYEXPECTEDDATE]', ['2027-01-31'], ['2027-02-31']],
  ['CART[0][NAME]', [x(256)], [x(257)]],
  ['CART[0][BRAND]', [x(100)], [x(101)]],
];
const ofCards: [name: string, good: string[], bad: string[]][] = [
  ['CARDCODE', ['1'.repeat(12), '1'.repeat(19)], ['1'.repeat(11), '1'.repeat(20), '4111 1111 1111 1111']],
  ['CARDCVV', ['123', '1234'], ['12', '12345']],
  ['CARDVALIDITYDATE', ['01-29', '12-29'], ['00-29', '13-29', '1-29', '01/29']],
  ['SELECTEDBRAND', ['cb', 'maestro'], ['amex']],
];
const ofSpain: [name: string, good: string[], bad: string[]][] = [
  ['PAYMENTOPTION', ['partnerB-3xsansfrais'], ['partnerB-3x']],
  ['BILLINGPHONE', ['+34812345678', '+34912345678'], ['+34712345678', '+33912345678', '+3491234567']],
  ['SHIPTOMOBILEPHONE', ['+34612345678', '+34712345678'], ['+34812345678', '+346123456789']],
];

describe.each([
  ['A', 'FR', [...everywhere, ...instalments, ...ofA]],
  ['B', 'FR', [...everywhere, ...instalments, ...ofB]],
  ['B', 'ES', ofSpain],
  ['card', 'FR', [...everywhere, ...ofCards]],
] as const)('method %s, market %s', (method, market, rows) => {
  it.each(rows)('%s', (name, good, bad) => {
    for (const value of good)
      expect([value, invalidParameter(new Map([[name, value]]), { method, market })]).toEqual([value, undefined]);
    for (const value of bad)
      expect([value, invalidParameter(new Map([[name, value]]), { method, market })]).toEqual([value, name]);
  });
});

it('leaves alone what it does not know, and what is not of the method', () => {
  const parameters = new Map([
    ['3DSECURE', 'yes'],
    ['constructor', 'x'],
    ['CLIENTDOB', 'not for method B'],
    ['CART[0][ANYTHING]', ''],
  ]);
  expect(invalidParameter(parameters, { method: 'B', market: 'FR' })).toBeUndefined();
});
