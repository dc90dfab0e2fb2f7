import { readPlaintext } from './card-plaintext.js';

const card = { CARDCODE: '4970101200040016', CARDVALIDITYDATE: '12-49', CARDCVV: '737', SELECTEDBRAND: 'cb' };
const read = (more: object = {}) => readPlaintext(Buffer.from(JSON.stringify({ ...card, ...more })));
const names = (refusal: object) =>
  'message' in refusal ? `${String(Reflect.get(refusal, 'execCode'))} ${String(refusal.message).split(': ')[1]}` : 'ok';

it('keeps what is needed, and no CVV', () => {
  expect(read()).toEqual({ cardCode: '4970101200040016', validityDate: '12-49', selectedBrand: 'cb' });
});

it.each([
  ['CARDCODE', '4'.repeat(11), '1002 CARDCODE'],
  ['CARDCODE', '4'.repeat(12), 'ok'],
  ['CARDCODE', '4'.repeat(19), 'ok'],
  ['CARDCODE', '4'.repeat(20), '1002 CARDCODE'],
  ['CARDCODE', '4970 1012 0004 0016', '1002 CARDCODE'],
  ['CARDCODE', 4970101200040016, '1002 CARDCODE'],
  ['CARDCVV', '12', '1002 CARDCVV'],
  ['CARDCVV', '1234', 'ok'],
  ['CARDCVV', '12345', '1002 CARDCVV'],
  ['CARDVALIDITYDATE', '00-49', '1002 CARDVALIDITYDATE'],
  ['CARDVALIDITYDATE', '13-49', '1002 CARDVALIDITYDATE'],
  ['CARDVALIDITYDATE', '1249', '1002 CARDVALIDITYDATE'],
  ['SELECTEDBRAND', 'Visa', '1002 SELECTEDBRAND'],
  ['SELECTEDBRAND', 'amex', '1002 SELECTEDBRAND'],
  ['CARDCVV', undefined, '1001 CARDCVV'],
  ['SELECTEDBRAND', '', 'ok'],
  ['SELECTEDBRAND', undefined, 'ok'],
  ['SELECTEDBRAND', 5, '1002 SELECTEDBRAND'],
  ['CARDFULLNAME', 'Jane', '1002 ENCRYPTEDDATA'],
])('%s %s → %s', (name, value, expected) => {
  expect(names(read({ [name]: value }))).toBe(expected);
});

it.each([
  ['', '1001 SELECTEDBRAND'],
  [undefined, '1001 SELECTEDBRAND'],
  ['cb', 'ok'],
])('where all four fields are demanded, SELECTEDBRAND %s → %s', (SELECTEDBRAND, expected) => {
  expect(names(readPlaintext(Buffer.from(JSON.stringify({ ...card, SELECTEDBRAND })), true))).toBe(expected);
});

it.each([
  ['no JSON', Buffer.from('{"CARDCODE')],
  ['a list', Buffer.from('[]')],
  ['null', Buffer.from('null')],
  ['no UTF-8', Buffer.from(JSON.stringify(card).replace('cb', 'c\u00ff'), 'latin1')],
])('is %s', (_title, bytes) => {
  expect(names(readPlaintext(bytes))).toBe('1002 ENCRYPTEDDATA');
});
