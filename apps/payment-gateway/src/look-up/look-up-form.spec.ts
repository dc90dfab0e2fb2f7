import { platformHash, type Merchant } from '@tranche/contracts';
import { lookUpForm, mayBeLookedUp } from './look-up-form.js';

const merchant = { merchant: 'shop-es', identifier: 'Demo Shop ES', accountKey: 'key' } as Merchant;

it('asks for the transactions of one order, signed with the account key', () => {
  const form = new URLSearchParams(lookUpForm(merchant, 'order/é 1&'));
  const asked = [
    ['IDENTIFIER', 'Demo Shop ES'],
    ['OPERATIONTYPE', 'getTransactions'],
    ['VERSION', '3.0'],
    ['ORDERID', 'order/é 1&'],
  ] as const;
  expect([...form]).toEqual([
    ['method', 'getTransactions'],
    ...asked.map(([name, value]) => [`params[${name}]`, value]),
    ['params[HASH]', platformHash('key', asked)],
  ]);
});

it.each([
  ['order-1', true, true],
  ['order-1', false, false],
  ['a;b: several are joined by semicolons', true, false],
])('ORDERID %p of a merchant whose lookup is %p may be asked about: %p', (orderId, lookup, expected) => {
  expect(mayBeLookedUp(orderId, { ...merchant, lookup })).toBe(expected);
});

it('nobody is asked about a merchant that is not known', () => {
  expect(mayBeLookedUp('order-1', undefined)).toBe(false);
});
