import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LIMITS } from './limits.js';

/** The list of the interface's rules that docs/spec-coverage.md is checked against: no field of it may be without its limits here. */
const { rules } = JSON.parse(readFileSync(join(__dirname, '../../../tools/checks/interface-rules.json'), 'utf8')) as {
  rules: Record<'Customer' | 'Cart' | 'Authorization' | 'Capture' | 'Refund' | 'Void' | 'Payment', string[]>;
};

/** Not of a command: the gateway sets them, or they stand for fields that have rows of their own. */
const SET_BY_US = ['IDENTIFIER', 'OPERATIONTYPE', 'VERSION', 'HASH', 'BILLING', 'SHIPTO'];
const CART_OF_A = ['TOTALAMOUNT', 'DISCOUNT', 'TAX', 'SUBMERCHANTEXTERNALID'];
const NOT_OF_B = ['CLIENTDOB', 'PRESCORINGCODE'];

const parameters = (operation: 'Authorization' | 'Capture' | 'Refund' | 'Void' | 'Payment') =>
  rules[operation].flatMap((rule) => /^(?:request|optional)\.(?:CART\.)?([A-Z]+)$/.exec(rule)?.[1] ?? []);
const cart = rules.Cart.filter((name) => /^[A-Z]+$/.test(name));

it.each([
  ['authorization of method A', [...parameters('Authorization'), ...rules.Customer, ...CART_OF_A]],
  [
    'authorization of method B',
    [...parameters('Authorization'), ...rules.Customer, ...cart].filter((name) => !NOT_OF_B.includes(name)),
  ],
  ['capture', parameters('Capture')],
  ['refund', parameters('Refund')],
  ['void', parameters('Void')],
  ['payment with a card token', parameters('Payment')],
])('every field of the interface has its limits: %s', (message, names) => {
  const limited = LIMITS.find((table) => table.message === message)?.limits.map(({ field }) => field);
  expect(limited).toEqual(expect.arrayContaining(names.filter((name) => !SET_BY_US.includes(name))));
  expect(names.length).toBeGreaterThan(5);
});
