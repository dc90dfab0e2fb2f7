import { specCoverage } from './spec-coverage.mjs';

const source = {
  rules: {
    'Cart item': { 'Cart.{NAME,PRICE}': '1 to 255 characters', 'Cart.TAX': 'two digits' },
    States: {
      'States.names':
        '_Ours_ [0032](../decisions/0032-assumptions-where-the-interface-is-silent.md). Fixed: there is no other',
    },
  },
  notShown: ['States.names'],
  sentences: { Cart: ['a name | Cart.NAME', 'a tax | Cart.{PRICE,TAX}', 'a picture | out of scope: a picture'], States: ['names | States.names'] }, // prettier-ignore
};
const spec = `
  it('has a name and a price [Cart.NAME] [Cart.PRICE]', () => {});
  it.each([1])("that isn't %s [Cart.TAX]", () => {});
  it(\`names [States.*]\`, () => {});
`;
const coverage = ({ change = () => undefined, tests = spec } = {}) => {
  const changed = structuredClone(source);
  change(changed);
  return specCoverage(changed, ['a.spec.ts'], () => tests);
};

it('names the tests of each rule, and counts the sentences', () => {
  const { text, faults, count } = coverage();
  expect(faults).toEqual([]);
  expect(count).toBe(4);
  expect(text).toContain(
    "| `Cart.{NAME,PRICE}` | 1 to 255 characters | [has a name and a price](../../a.spec.ts) |\n| `Cart.TAX` | two digits | [that isn't %s](../../a.spec.ts) |",
  );
  expect(text).toContain('4 sentences and table rows: 2 covered, 1 with an assumption, 1 out of scope.');
});

it.each([
  ['a rule without a test', { tests: spec.replace(' [Cart.PRICE]', '') }, 'Cart.PRICE: no test names it in its title'],
  ['a test of no rule', { tests: spec.replace('[Cart.NAME]', '[Cart.NAME] [Cart.COLOUR]') }, 'a.spec.ts: Cart.COLOUR is no rule'], // prettier-ignore
  [
    'a sentence of no rule',
    { change: ({ sentences }) => sentences.Cart.push('x | Cart.X') },
    'Cart#4: Cart.X is no rule',
  ],
  ['what is not shown, without an assumption', { change: ({ notShown }) => notShown.push('Cart.TAX') }, 'Cart.TAX is not shown: what do we assume?'], // prettier-ignore
  [
    'an assumption without its decision',
    { change: ({ rules }) => (rules.States['States.names'] = '_Ours_. Fixed: there is no other') },
    'States.names: an assumption needs its decision record, and Switch or Fixed',
  ],
])('%s is a fault', (_, change, fault) => expect(coverage(change).faults).toEqual([fault]));
