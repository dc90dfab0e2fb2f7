import { aPartnerAAuthorization, aPartnerBAuthorization } from '@tranche/testing';
import { customerLimits, validateCommandData } from '@tranche/contracts';
import { fitCustomer } from './fit-customer.js';

const fit = (method: 'A' | 'B', billing: Record<string, string>): Record<string, unknown> => {
  const { customer, changes } = fitCustomer(method, { billing });
  return { ...customer.billing, did: changes.map(({ path, change }) => `${path} ${change}`) };
};

it('the limits are those of the message classes', () => {
  expect(customerLimits('A').billing).toMatchObject({ firstName: 15, lastName: 15, address: 50, city: 255 });
  expect(customerLimits('B').billing).toMatchObject({ firstName: 15, lastName: 15, address: 38, city: 32 });
  expect(customerLimits('B').shipping).toMatchObject({ lastName: 30, companyName: 50 });
});

it.each([
  ['a first name between its parts', 'firstName', 'Marie-Christine-Élisabeth', 'Marie-Christine', 'cut'],
  ['a name without parts between two characters', 'lastName', 'Papadopoulopoulos', 'Papadopoulopou\u006c', 'cut'],
  ['a name whose first part is too short to stand alone', 'lastName', 'de Wittgensteinberg', 'de Wittgenstein', 'cut'],
  ['an address between two words', 'address', '12 avenue du Général de Gaulle, bâtiment C, 3e étage', '12 avenue du Général de Gaulle', 'cut'], // prettier-ignore
  ['an address of two lines', 'address', '12 rue des Lilas\r\n bâtiment C', '12 rue des Lilas bâtiment C', 'spaces'],
  ['a decomposed name', 'firstName', 'Zoé'.normalize('NFD'), 'Zoé', 'composed'],
  ['a letter with a mark that composes with nothing', 'firstName', 'x̱'.repeat(15), 'x̱'.repeat(7), 'cut'],
  ['a country', 'country', 'fr', 'FR', 'capitals'],
  ['a title in capitals', 'title', 'Mr.', 'mr', 'title'],
  ['a French title', 'title', 'Mme', 'mrs', 'title'],
])('fits %s [Customer.{BILLINGCOUNTRY,SHIPTOCOUNTRY}]', (_what, name, text, fitted, change) => {
  expect(fit('B', { [name]: text })).toEqual({ [name]: fitted, did: [`billing.${name} ${change}`] });
});

it('an IPv4 address in the form of IPv6 becomes plain [Customer.CLIENTIP]', () => {
  const fitted = fitCustomer('A', { client: { ip: '::ffff:203.0.113.10' } });
  expect(fitted).toEqual({
    customer: { client: { ip: '203.0.113.10' } },
    changes: [{ path: 'client.ip', change: 'ipv4' }],
  });
  expect(fitCustomer('A', { client: { ip: '::1' } }).changes).toEqual([]);
});

it.each([
  ['FR', '06 12 34 56 78', '+33612345678'],
  ['fr', '06.12.34.56.78', '+33612345678'],
  ['FR', '+33 (0)6 12 34 56 78', '+33612345678'],
  ['FR', '0033 6 12 34 56 78', '+33612345678'],
  ['ES', '612 345 678', '+34612345678'],
  ['ES', '912-345-678', '+34912345678'],
  ['BE', '0470 12 34 56', '+32470123456'],
  ['IT', '06 1234 5678', '+390612345678'],
  ['FR', '+33 06 12 34 56 78', '+33612345678'],
  ['IT', '+39 (0)6 1234 5678', '+390612345678'],
  ['RE', '0692 12 34 56', '+262692123456'],
  ['FR', '0692 12 34 56', '+262692123456'],
  ['GP', '06 12 34 56 78', '+33612345678'],
  ['RE', '+262 0692 12 34 56', '+262692123456'],
  ['MQ', '0596 12 34 56', '+596596123456'],
  ...['5', '8', '9'].map((third) => ['FR', `069${third} 12 34 56`, `+3369${third}123456`]),
  ['BE', '02 123 45 67', '+3221234567'],
  ['GB', '07700 900123', '+447700900123'],
  ['IE', '085 123 4567', '+353851234567'],
  ['CI', '+225 07 12 34 56 78', '+2250712345678'],
  ['FR', '\u202a06\u201112\u201134\u201156\u201178\u202c', '+33612345678'],
  ['US', '+1 (212) 555-0100', '+12125550100'],
])('phone of %s: %s', (country, phone, fitted) => expect(fit('B', { country, phone }).phone).toBe(fitted));

it.each([
  ['FR', '33612345678'],
  ['FR', '612345678'],
  ['FR', '0976 12 34 56'],
  ['FR', '+33 0692 12 34 56'],
  ['ES', '+34 (0)612 345 678'],
  ...['BE', 'GB', 'IE'].map((country) => [country, '06 12 34 56 78']),
  ...['+34 0612 345 678', '+351 0912 345 678', '+352 0621 123 456', '+36 06 30 123 4567'].map((phone) => ['ES', phone]),
  ['US', '212 555 0100'],
  ['FR', 'ask for it'],
])('leaves out a phone of %s that its country does not have: %s', (country, phone) => {
  expect(fit('B', { country, phone })).toEqual({ country, did: ['billing.phone left_out'] });
});

it('takes null as absent', () => {
  const customer = { client: { id: 'c1' }, billing: null, shipping: { city: 'Lyon', phone: null } };
  expect(fitCustomer('B', customer)).toEqual({
    customer: { client: { id: 'c1' }, shipping: { city: 'Lyon' } },
    changes: [
      { path: 'billing', change: 'left_out' },
      { path: 'shipping.phone', change: 'left_out' },
    ],
  });
});

it('leaves out what is empty, and never shortens an id, a code or an e-mail address', () => {
  const client = { id: ' x '.repeat(60), email: `${'a'.repeat(100)}@example.com`, userAgent: 'u'.repeat(300) };
  const { customer, changes } = fitCustomer('B', { client, billing: { postalCode: '1234567890', city: ' ' } });
  expect(customer).toEqual({
    client: { ...client, userAgent: 'u'.repeat(255) },
    billing: { postalCode: '1234567890' },
  });
  expect(changes).toEqual([
    { path: 'client.userAgent', change: 'cut' },
    { path: 'billing.city', change: 'spaces' },
    { path: 'billing.city', change: 'left_out' },
  ]);
});

it('changes nothing that fits, and makes what people type acceptable', () => {
  for (const [method, order] of [
    ['A', aPartnerAAuthorization()],
    ['B', aPartnerBAuthorization()],
  ] as const)
    expect(fitCustomer(method, order)).toEqual({ customer: order, changes: [] });
  const typed = {
    firstName: 'Marie-Christine-Élisabeth',
    lastName: 'de la Rochefoucauld-Montmorency',
    address: 'Résidence Les Tilleuls\n12 avenue du Général de Gaulle\nBâtiment C',
    postalCode: '75001',
    city: 'Saint-Remy-en-Bouzemont-Saint-Genest-et-Isson',
    country: 'fr',
    phone: '06 12 34 56 78',
  };
  const order = { ...aPartnerBAuthorization(), billing: typed, shipping: { ...typed, companyName: '' } };
  expect(validateCommandData('partner-b', 'payment.authorize', order).faults.length).toBeGreaterThan(9);
  const { customer } = fitCustomer('B', order);
  expect(validateCommandData('partner-b', 'payment.authorize', customer).faults).toEqual([]);
});
