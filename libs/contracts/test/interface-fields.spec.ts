import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LIMITS } from './limits.js';

/** The rules of the interface, as tools/checks/interface.json has them. Every field that they name must have its limits tested here. */
const { rules: sections } = JSON.parse(
  readFileSync(join(__dirname, '../../../tools/checks/interface.json'), 'utf8'),
) as { rules: Record<string, Record<string, string>> };
const rules = Object.values(sections).flatMap((section) => Object.keys(section).flatMap((ids) => ids.split(' ')));

/** Names of a section's rules; `Cart.{NAME,PRICE}` gives two names. */
function names(section: string): string[] {
  return rules.flatMap((rule) => {
    const [, before = '', list = ''] = new RegExp(`^${section}\\.(.*?)\\{?([^{}.]+)\\}?$`).exec(rule) ?? [];
    return list.split(',').filter(Boolean).map((name) => before + name); // prettier-ignore
  });
}

/** Not fields of a command: the gateway sets them, or their parts have rows of their own. */
const SET_BY_US = ['IDENTIFIER', 'OPERATIONTYPE', 'VERSION', 'HASH', 'BILLING', 'SHIPTO'];
const CART_OF_A = ['TOTALAMOUNT', 'DISCOUNT', 'TAX', 'SUBMERCHANTEXTERNALID'];
const NOT_OF_B = ['CLIENTDOB', 'PRESCORINGCODE'];

const parameters = (operation: 'Authorization' | 'Capture' | 'Refund' | 'Void' | 'Payment') =>
  names(operation).flatMap((rule) => /^(?:request|optional)\.(?:CART\.)?([A-Z]+)$/.exec(rule)?.[1] ?? []);
const customer = names('Customer');
const cart = names('Cart').filter((name) => /^[A-Z]+$/.test(name));

it.each([
  ['authorization of method A', [...parameters('Authorization'), ...customer, ...CART_OF_A]],
  [
    'authorization of method B',
    [...parameters('Authorization'), ...customer, ...cart].filter((name) => !NOT_OF_B.includes(name)),
  ],
  ['capture', parameters('Capture')],
  ['refund', parameters('Refund')],
  ['void', parameters('Void')],
  ['payment with a card token', parameters('Payment')],
])(
  'every field of the interface has its limits: %s [Limits.field-lengths] [Customer.*] [Cart.*] [PaymentSpecific.PRESCORINGCODE] [General.{amounts,countries}] [Transaction.AMOUNT]',
  (message, fields) => {
    const limited = LIMITS.find((table) => table.message === message)?.limits.map(({ field }) => field);
    expect(limited).toEqual(expect.arrayContaining(fields.filter((name) => !SET_BY_US.includes(name))));
    expect(fields.length).toBeGreaterThan(5);
  },
);
