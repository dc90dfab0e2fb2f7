import { aCardPayment, aPartnerBAuthorization, aPartnerBCartItem } from '@tranche/testing';
import { decodeCloudEvent } from '../cloud-events.js';
import { parseJsonWithNames } from './json-names.js';

const repeatedIn = (text: string) => parseJsonWithNames(text).repeated;

/** Every object within a message, as the steps to it. */
function objectsIn(value: unknown, steps: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.entries(value).flatMap(([name, one]) =>
    objectsIn(one, [...steps, Array.isArray(value) ? Number(name) : name]),
  );
  return Array.isArray(value) ? below : [steps, ...below];
}

/** The JSON of a value, where the object at `steps` has its first name once more, spelled by `spell`. */
function withTwice(value: unknown, steps: readonly (string | number)[], spell: (name: string) => string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = (name: string | number, one: unknown) =>
    name === steps[0] ? withTwice(one, steps.slice(1), spell) : JSON.stringify(one);
  if (Array.isArray(value)) return `[${value.map((one, at) => inner(at, one)).join(',')}]`;
  const members = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${inner(name, one)}`);
  if (steps.length === 0) members.push(`${spell(Object.keys(value)[0]!)}:1`);
  return `{${members.join(', ')}}`;
}

const escaped = (name: string) =>
  `"${[...name].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`;
const SPELLINGS = [
  ['alike', (name: string) => JSON.stringify(name)],
  ['with escapes', escaped],
  ['with one escape', (name: string) => `"${escaped(name[0]!).slice(1, -1)}${name.slice(1)}"`],
] as const;

const ORDER = aPartnerBAuthorization({ cart: [aPartnerBCartItem(), aPartnerBCartItem()] });
const places = [aCardPayment(), ORDER].flatMap((message) => objectsIn(message).map((steps) => ({ message, steps })));

it('has places at every level of a command', () => {
  expect(places.map(({ steps }) => steps.join('.'))).toEqual(
    expect.arrayContaining(['', 'client', 'billing', 'shipping', 'cart.0', 'cart.1']),
  );
});

describe.each(SPELLINGS)('a name twice, %s', (_how, spell) => {
  it.each(places.map(({ message, steps }) => [steps.join('.') || 'the command', message, steps] as const))(
    'in %s is refused with path and position',
    (_where, message, steps) => {
      const text = withTwice(message, steps, spell);
      const { repeated } = parseJsonWithNames(text);
      const owner = steps.reduce<unknown>((one, step) => (one as Record<string, unknown>)[step], message);
      const name = Object.keys(owner as object)[0]!;
      const path = [...steps, name]
        .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
        .join('')
        .slice(1);
      const position = text.indexOf(`${spell(name)}:1`) + 1;
      const said = {
        path,
        message: `is there twice: the name ${name} comes again at character ${position} of the JSON`,
      };
      expect(repeated).toEqual([said]);
      const { faults } = decodeCloudEvent({ headers: HEADERS, value: Buffer.from(text) });
      expect(faults).toEqual([{ ...said, code: 'duplicate' }]);
    },
  );
});

const HEADERS = {
  ...{ ce_specversion: '1.0', ce_id: 'c1', ce_source: '/shop', ce_type: 'payment.pay' },
  ...{ ce_time: '2027-03-01T10:00:00Z', 'content-type': 'application/json' },
};

it('in a structured event is refused in the envelope and in the data', () => {
  const value =
    '{"specversion":"1.0","id":"c1","i\\u0064":"c2","source":"/s","type":"t","time":"2027-03-01T10:00:00Z","data":{"a":1,"a":2}}';
  const { faults } = decodeCloudEvent({
    headers: { 'content-type': 'application/cloudevents+json' },
    value: Buffer.from(value),
  });
  expect(faults.map(({ path, code }) => `${path} ${code}`)).toEqual(['id duplicate', 'a duplicate']);
});

it.each([
  ['the same name in two objects', '[{"a":1},{"a":2},{"b":{"a":1},"a":{"a":1}}]', []],
  ['a text that looks like a name', '{"a":"\\"a\\":1","b":"{\\"a\\":1,\\"a\\":2}","c":"a"}', []],
  ['names that differ in case or form', '{"a":1,"A":2,"é":1,"e\\u0301":2}', []],
  ['names of Object', '{"__proto__":1,"constructor":2,"toString":3}', []],
  ['__proto__ twice', '{"__proto__":1,"__proto__":2}', ['__proto__']],
  ['a name of nothing twice', '{"":1,"":2}', ['(name withheld)']],
  ['a name that ends with a backslash', '{"a\\\\":1,"b":2,"a\\\\":3}', ['(name withheld)']],
  ['a name three times', '{"a":1,"a":2,"a":3}', ['a', 'a']],
  ['a list within a list', '[[1,{"a":[2,{"b":1,"b":2}]}]]', ['[0][1].a[1].b']],
  ['a byte order mark', '\ufeff{"a":1,"a":2}', ['a']],
  ['a card number as name', '{"4111111111111111":1,"4111111111111111":2}', ['(name withheld)']],
])('%s', (_what, text, paths) => expect(repeatedIn(text).map(({ path }) => path)).toEqual(paths));

it('lists twenty at most', () => {
  expect(repeatedIn(`{${Array.from({ length: 50 }, () => '"a":1').join()}}`)).toHaveLength(20);
});

it('takes any depth', () => {
  const depth = 100_000;
  const text = `${'{"a":['.repeat(depth)}{"b":1,"b":2}${']}'.repeat(depth)}`;
  expect(repeatedIn(text)).toHaveLength(1);
  expect(repeatedIn(text)[0]!.path.length).toBeLessThan(200);
});
