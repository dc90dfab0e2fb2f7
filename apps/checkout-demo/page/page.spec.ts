import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beginAnew, kept, newKey, type Basket } from './kept.js';
import { instalments, minorUnits, money, monthLater } from './money.js';
import { faultText, languageFor, LANGUAGES, text, TEXTS, type Language, type TextKey } from './texts.js';
import { METHODS } from '../src/shop/methods.js';

const languages = Object.keys(LANGUAGES) as Language[];

it.each([
  [['fr-CH', 'en'], 'fr'],
  [['de-DE', 'fr'], 'fr'],
  [['EN-us'], 'en'],
  [['de'], 'en'],
  [[], 'en'],
  [['constructor'], 'en'],
])('who reads %j is shown %s', (wanted, language) => {
  expect(languageFor(wanted)).toBe(language);
});

it.each(languages)('every fault has a text in %s, the most exact one', (language) => {
  expect(faultText(language, 'card-cvv', 'format')).toBe(text(language, 'fault.card-cvv.format'));
  expect(faultText(language, 'city', 'required')).toBe(text(language, 'fault.required'));
  expect(faultText(language, 'city', 'a_code_of_tomorrow')).toBe(text(language, 'fault.format'));
  expect(faultText(language, '__proto__', 'constructor')).toBe(text(language, 'fault.format'));
});

it.each(languages)('every text that the page names is there in %s, with the same places for values', (language) => {
  const pages = ['index.html', 'desk.html'].map((name) => readFileSync(join(__dirname, name), 'utf8')).join('');
  const named = [...pages.matchAll(/data-text="([^"]+)"/g)].map(([, key]) => key as TextKey);
  expect(named.length).toBeGreaterThan(15);
  for (const key of named) expect(text(language, key)).not.toBe('');
  expect(text(language, 'pay', { amount: '€1' })).toContain('€1');
  expect(text(language, 'unavailable', { min: '€1', max: '€2' })).toMatch(/€1.*€2/);
});

it.each(['index.html', 'desk.html'])('%s holds nothing inline and nothing from elsewhere', (name) => {
  const html = readFileSync(join(__dirname, name), 'utf8');
  expect(html).not.toMatch(/<script>|<style|style="|\son\w+="|https?:/);
});

it.each([
  [10_000, 3, [3334, 3333, 3333]],
  [15_003, 4, [3753, 3750, 3750, 3750]],
  [42_100, 4, [10_525, 10_525, 10_525, 10_525]],
])('%i in %i instalments', (amount, count, expected) => {
  expect(instalments(amount, count)).toEqual(expected);
});

it.each([
  ['2027-01-31', 1, '2027-02-28'],
  ['2028-01-31', 1, '2028-02-29'],
  ['2027-01-31', 2, '2027-03-31'],
  ['2026-11-21', 2, '2027-01-21'],
])('from %s %i months later is %s', (from, months, expected) => {
  const [year = 0, month = 0, day = 0] = from.split('-').map(Number);
  const later = monthLater(new Date(year, month - 1, day), months);
  expect([later.getFullYear(), later.getMonth() + 1, later.getDate()]).toEqual(expected.split('-').map(Number));
});

it.each([
  ['20', 2_000],
  ['20.5', 2_050],
  ['20,50', 2_050],
  [' 0.05 ', 5],
  ['', undefined],
  ['20.505', undefined],
  ['-1', undefined],
  ['1e3', undefined],
])('the amount %j is %j cents', (typed, cents) => expect(minorUnits(typed)).toBe(cents));

it('every language has the same texts, with the same places for values', () => {
  const places = (language: Language) =>
    Object.entries(TEXTS[language]).map(([key, value]) => [key, (value.match(/\{\w+\}/g) ?? []).sort()]);
  for (const language of languages)
    expect(Object.fromEntries(places(language))).toEqual(Object.fromEntries(places('en')));
});

it('writes money as the language does', () => {
  expect([money(42_100, 'en'), money(42_100, 'fr').replace(/\s/g, ' ')]).toEqual(['€421.00', '421,00 €']);
});

it('has a text for each method of the shop, since an incremental build does not check the texts again', () => {
  const named = METHODS.map(({ id }) => `method.${id}`);
  expect(languages.map((language) => named.filter((name) => !(name in TEXTS[language])))).toEqual([[], [], []]);
});

it('no text is the same in two languages but where both say it so', () => {
  const alike = ['', 'Total', 'Contact', 'E-mail', 'Articles', 'CB, Visa, Mastercard'];
  const keys = Object.keys(TEXTS.en) as TextKey[];
  const unlike = keys.filter((key) => !alike.includes(text('en', key)));
  expect(unlike.length).toBeGreaterThan(100);
  expect(unlike.filter((key) => text('en', key) === text('fr', key))).toEqual([]);
});

describe('what a browser keeps', () => {
  const fakeStorage = () => {
    const values = new Map<string, string>();
    return {
      getItem: (name: string) => values.get(name) ?? null,
      setItem: (name: string, value: string) => void values.set(name, value),
    };
  };
  const browserWith = (storage: () => unknown) =>
    Object.defineProperty(globalThis, 'localStorage', { configurable: true, get: storage });
  afterEach(() => Reflect.deleteProperty(globalThis, 'localStorage'));

  it('is a key that stays for 7 days at most', () => {
    const storage = fakeStorage();
    browserWith(() => storage);
    const { key } = kept.basket({});
    expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(kept.basket({}).key).toBe(key);
    kept.setBasket({ key, madeAtMs: Date.now() - 7 * 86_400_000 - 1_000, quantities: {} });
    expect(kept.basket({}).key).not.toBe(key);
  });

  it('is not kept if storage is forbidden, and the page still works', () => {
    browserWith(() => {
      throw new Error('SecurityError');
    });
    expect(kept.basket({ x: 1 })).toMatchObject({ quantities: { x: 1 } });
    expect(kept.language()).toBeUndefined();
  });

  it('is another key for a cart that is changed after it was ordered', () => {
    const basket: Basket = { key: newKey(), madeAtMs: 0, quantities: { x: 1 }, pageId: 'p' };
    const { key } = basket;
    beginAnew(basket);
    expect(basket).toEqual({
      key: expect.not.stringContaining(key),
      madeAtMs: expect.any(Number),
      quantities: { x: 1 },
    });
  });
});
