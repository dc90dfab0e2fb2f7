import type { Merchant, Method } from '@tranche/contracts';
import type { Transaction } from '../transactions/transaction.js';
import { notificationParameters } from './notification-parameters.js';

const merchant = { merchant: 'shop', identifier: 'Shop', market: 'FR', currency: 'EUR' } as Merchant;
const languageOf = (method: Method, orderId: string) => {
  const transaction = { method, orderId, operationType: 'capture', execCode: '0000', amount: 1 } as Transaction;
  return Object.fromEntries(notificationParameters(transaction, merchant)).LANGUAGE ?? '';
};

it.each([
  ['A', 'de en es fr it nl pt ru sk zh'],
  ['B', 'cs de en es fr it nl pt ru zh'],
] as const)('orders of method %s are notified in each LANGUAGE that the interface lists', (method, all) => {
  const languages = Array.from({ length: 500 }, (_, at) => languageOf(method, `order-${at}`));
  expect([...new Set(languages)].sort().join(' ')).toBe(all);
  expect(languageOf(method, 'order-7')).toBe(languages[7]);
});
