import { aCardPayment, aPartnerAAuthorization, aPartnerBAuthorization } from '@tranche/testing';
import { METHOD_NAMES, METHODS } from '../methods.js';
import { fieldsOf } from '../validation/check.js';
import { REQUIREMENTS } from '../validation/fields.js';
import { PAYMENT_CLASSES, validateCommandData } from './validate-command.js';

const { client, billing, shipping } = aPartnerAAuthorization();
const { referrer } = aCardPayment().client;
/** A shop has one such object of its customer, whatever the customer pays with. */
const customer = { client: { ...client, referrer, birthDate: '1980-02-29' }, billing, shipping };

const PAYMENTS = {
  A: ['payment.authorize', aPartnerAAuthorization()],
  B: ['payment.authorize', aPartnerBAuthorization()],
  card: ['payment.pay', aCardPayment()],
} as const;

const faultsOf = (method: keyof typeof PAYMENTS, more: object, rules = {}) => {
  const [type, payment] = PAYMENTS[method];
  return validateCommandData(METHODS[method].rail, type, { ...payment, ...more }, rules).faults;
};

describe.each(METHOD_NAMES)('method %s', (method) => {
  it.each(REQUIREMENTS)('takes the one customer object of a shop, with requirements %s', (requirements) => {
    expect(faultsOf(method, customer, { requirements })).toEqual([]);
  });

  it('refuses fields of the customer that no method has', () => {
    const unknown = { client: { ...customer.client, referer: referrer }, billing: { ...billing, street: 'x' } };
    expect(faultsOf(method, unknown).map(({ path, code }) => `${path} ${code}`)).toEqual([
      'client.referer unknown_field',
      'billing.street unknown_field',
    ]);
  });
});

it('every method knows every field of the customer', () => {
  const namesIn = (part: string) =>
    Object.values(PAYMENT_CLASSES).map((type) => {
      const nested = fieldsOf(type).find(({ name }) => name === part)?.nested;
      return nested && fieldsOf(nested).map(({ name }) => name).sort(); // prettier-ignore
    });
  for (const part of ['client', 'billing', 'shipping']) {
    const [first, ...others] = namesIn(part);
    expect(first).toBeDefined();
    for (const names of others) expect(names).toEqual(first);
  }
});

it('what a card payment does not send need not be whole', () => {
  expect(faultsOf('card', { billing: { country: 'FR' } }, { requirements: 'all' })).toEqual([]);
});
