import { orderNumber, readOrderNumber } from './order-number.js';

it('is the first 40 bits of ORDERID, in symbols that are not mistaken for each other', () => {
  expect(orderNumber('00000000000000000000000000000000')).toBe('0000-0000');
  expect(orderNumber('ffffffffff0000000000000000000000')).toBe('ZZZZ-ZZZZ');
  expect(orderNumber('0844210864ffffffffffffffffffffff')).toBe('1122-2234');
});

it('no two differ in what their ids do not', () => {
  const ids = Array.from({ length: 1_000 }, (_, index) => (index * 1_099_511).toString(16).padStart(10, '0'));
  expect(new Set(ids.map(orderNumber)).size).toBe(1_000);
});

it.each([
  ['7qk2-m9xd', '7QK2M9XD'],
  [' 7QK2 M9XD ', '7QK2M9XD'],
  ['oil0', '0110'],
])('%j, as somebody types it, is %s', (typed, expected) => expect(readOrderNumber(typed)).toBe(expected));
