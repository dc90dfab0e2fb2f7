import { amountOf, CATALOGUE, MAX_QUANTITY, readCart } from './catalogue.js';
import { METHODS, methodOf, methodsOf, takesAmount } from './methods.js';

const codes = (cart: unknown) => readCart(cart).faults.map(({ path, code }) => `${path}: ${code}`);

describe('the cart', () => {
  it('takes prices from the catalogue, not from the page', () => {
    const { lines, faults } = readCart([
      { sku: 'lamp-hazel', quantity: 2, price: 1 },
      { sku: 'teapot-mist', quantity: 1, totalAmount: 1 },
      { sku: 'chair-wren', quantity: 0 },
    ]);
    expect([faults, lines.length, amountOf(lines)]).toEqual([[], 2, 2 * 8_900 + 4_200]);
  });

  it.each<[string, unknown, string[]]>([
    ['no list', undefined, ['cart: type']],
    ['more lines than articles', Array.from({ length: 4 }, () => ({})), ['cart: type']],
    ['nothing in it', [], ['cart: length']],
    ['only zeros', [{ sku: 'lamp-hazel', quantity: 0 }], ['cart: length']],
    ['an unknown article', [{ sku: 'gold', quantity: 1 }], ['cart[0].sku: enum']],
    ['no object', [null], ['cart[0].sku: enum']],
    ['an article twice', [{ sku: 'lamp-hazel', quantity: 1 }, { sku: 'lamp-hazel', quantity: 1 }], ['cart[1].sku: duplicate']], // prettier-ignore
    ['the most', [{ sku: 'lamp-hazel', quantity: MAX_QUANTITY }], []],
    ['one more', [{ sku: 'lamp-hazel', quantity: MAX_QUANTITY + 1 }], ['cart[0].quantity: range']],
    ['less than nothing', [{ sku: 'lamp-hazel', quantity: -1 }], ['cart[0].quantity: range']],
    ['half an article', [{ sku: 'lamp-hazel', quantity: 0.5 }], ['cart[0].quantity: range']],
    ['a text', [{ sku: 'lamp-hazel', quantity: '1' }], ['cart[0].quantity: range']],
  ])('%s', (_what, cart, expected) => {
    expect(codes(cart)).toEqual(expected);
  });

  it('holds whole euros, so that no amount asks the simulator for an answer', () => {
    for (const { price } of CATALOGUE) expect(price % 100).toBe(0);
  });
});

it.each([
  ['b3', 14_999, false],
  ['b3', 15_000, true],
  ['b4', 200_000, true],
  ['b4', 200_001, false],
  ['a4', 200_001, true],
  ['card', 1, true],
])('%s takes %i: %s', (id, amount, isTaken) => {
  const method = methodOf(id, 'FR');
  expect(method && takesAmount(method, amount)).toBe(isTaken);
});

it('offers each method once', () => {
  expect(new Set(METHODS.map(({ id }) => id)).size).toBe(METHODS.length);
  expect(methodOf('toString', 'FR')).toBeUndefined();
});

it.each([
  ['FR', ['card', 'b3', 'a3', 'b3fee', 'b4', 'a4', 'a4wallet', 'b4fee', 'a1euro']],
  ['ES', ['card', 'b3', 'a3', 'a4', 'a4wallet', 'a1euro']],
] as const)('offers what accounts of the market %s have', (market, ids) => {
  expect(methodsOf(market).map(({ id }) => id)).toEqual(ids);
});
