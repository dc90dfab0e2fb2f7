import type { Market } from '@tranche/contracts';
import { readCart } from '../shop/catalogue.js';
import { METHODS } from '../shop/methods.js';
import { formFaults, readForm } from './checkout-form.js';
import { paymentCommand } from './payment-command.js';

const customer = {
  firstName: ' Jeanne ',
  lastName: 'Martin',
  email: 'jeanne@example.com',
  mobilePhone: '+33 6 12.34-56 78',
  address: '12 rue des Lilas',
  postalCode: '75011',
  city: 'Paris',
  country: 'FR',
};
const card = { hfToken: 'token-1', ageMs: 1_500, selectedBrand: 'visa', cardFullName: 'Jeanne Martin' };
const nowMs = Date.parse('2028-01-31T10:00:00Z');
const cart = (quantity = 2) => readCart([{ sku: 'chair-wren', quantity }]).lines;
const context = {
  merchant: 'shop-fr',
  market: 'FR' as Market,
  orderId: 'a'.repeat(32),
  pageUrl: 'https://shop.example/',
  userAgent: 'Mozilla',
  ip: '203.0.113.10',
  nowMs,
};

const build = (body: Record<string, unknown>, lines = cart(), market: Market = 'FR') => {
  const { form, faults } = readForm(body, market);
  if (form === undefined) return { faults };
  const built = paymentCommand(form, { ...context, market, lines });
  return { ...built, faults: [...faults, ...built.faults] };
};
const faultsOf = (body: Record<string, unknown>, lines = cart(), market: Market = 'FR') =>
  formFaults(build(body, lines, market).faults).map(({ path, code }) => `${path}: ${code}`);

it.each(METHODS.map(({ id }) => id).filter((id) => id !== 'card'))(
  '%s is an authorization that the contracts accept',
  (method) => {
    const { command, faults } = build({ method, customer });
    expect(faults).toEqual([]);
    expect(command).toMatchObject({
      type: 'payment.authorize',
      data: {
        amount: 29_000,
        billing: { firstName: 'Jeanne', mobilePhone: '+33612345678' },
        shipping: { city: 'Paris' },
        client: { id: `guest-${context.orderId}`, ip: '203.0.113.10' },
        notAfter: '2028-01-31T10:15:00.000Z',
      },
    });
  },
);

it('a card payment carries the brand chosen, the token and its time by our clock, and its notAfter is the end of the token [Payment.brand-selector]', () => {
  const built = build({ method: 'card', customer, card });
  expect(built).toMatchObject({
    faults: [],
    command: {
      type: 'payment.pay',
      data: {
        hfToken: 'token-1',
        selectedBrand: 'visa',
        cardFullName: 'Jeanne Martin',
        tokenizedAt: '2028-01-31T09:59:58.500Z',
        notAfter: '2028-01-31T10:14:58.500Z',
        amount: 29_000,
      },
    },
    notAfterMs: nowMs - 1_500 + 15 * 60_000,
  });
});

describe('a shop of the Spanish market', () => {
  const { email: _email, ...abroad } = customer;
  const madrid = { ...customer, mobilePhone: '+34 612 34 56 78', postalCode: '28004', city: 'Madrid', country: 'ES' };
  it.each([
    ['method B with a Spanish mobile phone', { method: 'b3', customer: madrid }, []],
    ['method B with another phone', { method: 'b3', customer }, ['mobilePhone: phone_not_in_market']],
    ['method B with a fixed line', { method: 'b3', customer: { ...madrid, mobilePhone: '+34912345678' } }, ['mobilePhone: phone_not_in_market']], // prettier-ignore
    ['method B to somebody with another phone', { method: 'b3', customer: madrid, shipping: abroad }, ['ship-mobilePhone: phone_not_in_market']], // prettier-ignore
    ['method A with another phone', { method: 'a3', customer }, []],
    ['an option of the French market', { method: 'b4', customer: madrid, card }, ['method: enum']],
    ['one with fees', { method: 'b3fee', customer: madrid, card }, ['method: enum']],
  ])('%s', (_what, body, faults) => {
    expect(faultsOf(body, cart(), 'ES')).toEqual(faults);
  });
});

describe('each fault belongs to its field', () => {
  it.each<[string, Record<string, unknown>, string[]]>([
    ['no address at all', { method: 'a3' }, ['email: required', 'firstName: required', 'lastName: required', 'address: required', 'postalCode: required', 'city: required', 'country: required', 'mobilePhone: required']], // prettier-ignore
    ['the same with a card', { method: 'card', card, customer: { ...customer, city: '  ' } }, ['city: required']],
    [
      'names that are too long',
      { method: 'a3', customer: { ...customer, lastName: 'x'.repeat(16) } },
      ['lastName: length'],
    ],
    ['a number for a text', { method: 'a3', customer: { ...customer, city: 5 } }, ['city: type']],
    [
      'a phone without country',
      { method: 'b3', customer: { ...customer, mobilePhone: '0612345678' } },
      ['mobilePhone: format'],
    ],
    ['a + in the e-mail, method A', { method: 'a3', customer: { ...customer, email: 'j+a@example.com' } }, []],
    [
      'a + in the e-mail, method B',
      { method: 'b3', customer: { ...customer, email: 'j+b@example.com' } },
      ['email: format'],
    ],
    ['an unknown method', { method: 'gold', customer, card }, ['method: enum']],
    ['no token', { method: 'card', customer, card: { ...card, hfToken: undefined } }, ['card-token: required']],
    ['a token of no age', { method: 'card', customer, card: { ...card, ageMs: undefined } }, ['card-token: range']],
    ['a token from the future', { method: 'card', customer, card: { ...card, ageMs: -1 } }, ['card-token: range']],
    [
      'a token of 15 minutes',
      { method: 'card', customer, card: { ...card, ageMs: 15 * 60_000 } },
      ['card-token: range'],
    ],
    ['a token of nearly 15 minutes', { method: 'card', customer, card: { ...card, ageMs: 15 * 60_000 - 1 } }, []],
    [
      'no name on the card',
      { method: 'card', customer, card: { ...card, cardFullName: ' ' } },
      ['card-name: required'],
    ],
    ['another brand', { method: 'card', customer, card: { ...card, selectedBrand: 'amex' } }, ['card-brand: enum']],
    ['a field that there is not', { method: 'a3', customer, amount2: 1 }, [': unknown_field']],
    [
      'a field of the customer that there is not',
      { method: 'a3', customer: { ...customer, age: 1 } },
      [': unknown_field'],
    ],
    ['an amount of its own', { method: 'a3', customer, amount: 1 }, [': unknown_field']],
    [
      'a card where none is asked for',
      { method: 'a3', customer, card: { ...card, cardFullName: 'J' } },
      [': unknown_field'],
    ],
    [
      'a field of the command that is not the page’s to say',
      { method: 'a3', customer, supersedes: 'o.1' },
      [': unknown_field'],
    ],
    ['another', { method: 'a3', customer: { ...customer, nickname: 'JM' } }, [': unknown_field']],
  ])('%s', (_what, body, expected) => {
    expect(faultsOf(body).sort()).toEqual([...expected].sort());
  });

  it.each([
    [1, ['method: amount_out_of_range']],
    [2, []],
    [13, []],
    [14, ['method: amount_out_of_range']],
  ])('method B for %i chairs of 145 EUR', (quantity, expected) => {
    expect(faultsOf({ method: 'b4', customer }, cart(quantity))).toEqual(expected);
  });

  it.each([null, undefined, [], 'text', 5])('%j is no form', (body) => {
    expect(readForm(body, 'FR')).toEqual({ faults: [{ path: '', code: 'type', message: 'must be an object' }] });
  });
});

describe('card data', () => {
  const number = '4970101200040016';
  it.each<[string, Record<string, unknown>]>([
    ['a field for it', { method: 'a3', customer, cardCode: number }],
    ['a field for the cryptogram', { method: 'card', customer, card: { ...card, cardCvv: '123' } }],
    ['under another name', { method: 'a3', customer, note: { deep: [number] } }],
    ['as a name', { method: 'a3', customer: { ...customer, city: number } }],
    ['on the card', { method: 'card', customer, card: { ...card, cardFullName: `4970 1012 0004 0016` } }],
    ['in the address of a card payment', { method: 'card', customer: { ...customer, address: number }, card }],
  ])('%s is refused, and its number is in no fault', (_what, body) => {
    const { faults } = build(body);
    expect(faults.map(({ code }) => code)).toContain('card_data_forbidden');
    expect(JSON.stringify(faults)).not.toContain('4970');
  });
});

describe('what only some methods take', () => {
  const more = { ...customer, title: 'mrs', birthDate: '1984-02-29' };
  const dataOf = (body: Record<string, unknown>, lines = cart()) => build(body, lines).command?.data;

  it('title goes with both, date of birth and prescoring with method A only [Customer.CLIENTDOB]', () => {
    expect(dataOf({ method: 'a3', customer: more })).toMatchObject({
      prescoringCode: 'LOW',
      client: { birthDate: '1984-02-29' },
      billing: { title: 'mrs' },
      shipping: { title: 'mrs' },
    });
    const ofB = dataOf({ method: 'b3', customer: more });
    expect(ofB).toMatchObject({ billing: { title: 'mrs' } });
    expect(JSON.stringify(ofB)).not.toMatch(/birthDate|prescoringCode/);
  });

  it.each([
    [3, 'LOW'],
    [4, 'MEDIUM'],
    [10, 'MEDIUM'],
    [11, 'HIGH'],
  ])('%i chairs are prescored %s [Service.3.prescoring]', (quantity, prescoringCode) => {
    expect(dataOf({ method: 'a3', customer }, cart(quantity))).toMatchObject({ prescoringCode });
  });

  it.each(['partnerB-3x', 'partnerB-4x'])('%s is the one with fees', (paymentOption) => {
    const method = paymentOption === 'partnerB-3x' ? 'b3fee' : 'b4fee';
    expect(dataOf({ method, customer })).toMatchObject({ paymentOption });
  });

  it.each<[object, string]>([
    [{ birthDate: '1984-02-30' }, 'birthDate: format'],
    [{ title: 'dr' }, 'title: enum'],
  ])('%j is a fault at its field', (change, fault) => {
    expect(faultsOf({ method: 'a3', customer: { ...customer, ...change } })).toEqual([fault]);
  });
});

describe('a separate delivery address', () => {
  const { email: _email, ...address } = customer;
  const shipping = {
    ...address,
    title: 'mr',
    companyName: 'Roitelet SARL',
    city: 'Lyon',
    mobilePhone: '+33 7 00 00 00 00',
  };

  it.each(['a3', 'b3'])('are sent there, and %s is billed to the customer', (method) => {
    const { command, faults } = build({ method, customer, shipping });
    expect(faults).toEqual([]);
    expect(command?.data).toMatchObject({
      billing: { city: 'Paris', mobilePhone: '+33612345678' },
      shipping: { city: 'Lyon', companyName: 'Roitelet SARL', title: 'mr', mobilePhone: '+33700000000' },
    });
  });

  it.each(['a3', 'b3', 'card'])('%s: its faults belong to its own fields', (method) => {
    const form = { method, customer, shipping: { ...shipping, city: '', companyName: 'x'.repeat(51) } };
    expect(faultsOf({ ...form, ...(method === 'card' && { card }) }).sort()).toEqual([
      'ship-city: required',
      'ship-companyName: length',
    ]);
  });

  it('refuses unknown fields', () => {
    expect(faultsOf({ method: 'a3', customer, shipping: { ...shipping, email: 'a@example.com' } })).toEqual([
      ': unknown_field',
    ]);
  });
});
