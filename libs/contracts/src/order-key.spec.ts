import { orderKey, parseOrderKey } from './topics.js';

it.each([
  ['shop-fr', 'order-1'],
  ['a', '/'],
  ['x'.repeat(32), 'a/b/c'],
  ['0', '𝔘'.repeat(40)],
  ['shop', '__proto__'],
])('reads back the key of %s and %s [Transaction.ORDERID]', (merchant, orderId) => {
  expect(parseOrderKey(orderKey(merchant, orderId))).toEqual({ merchant, orderId });
});

it.each([
  '',
  '/',
  'shop',
  'shop/',
  '/order',
  'Shop/1',
  'shop_1/1',
  `${'x'.repeat(33)}/1`,
  `shop/${'x'.repeat(41)}`,
  'shop\n/1',
  'shop/o\t1',
  'shop/\n',
  'shop/o\x7f',
])('finds no order in %j', (key) => expect(parseOrderKey(key)).toBeUndefined());
