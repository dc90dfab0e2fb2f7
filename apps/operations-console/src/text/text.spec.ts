import { amountOf, count, duration, humane, minorOf, money } from './format.js';
import { piecesOf, plain } from './pieces.js';
import { fieldInWords } from './words.js';

it.each([
  ['EUR', 25_000, '250.00 EUR'],
  ['JPY', 25_000, '25,000 JPY'],
  ['KWD', 25_000, '25.000 KWD'],
  ['not_named', 5, '5 minor units not_named'],
])('an amount in %s', (currency, amount, text) => expect(money(amount, currency)).toBe(text));

it('an amount that only the platform knows is not nought', () => expect(money(null, 'EUR')).toBe('not known'));

it.each([
  ['250', 25_000],
  ['1,250.5', 125_050],
  ['12,50', 1_250],
  ['1.250,50', 125_050],
  ['1 250', 125_000],
  ['250.005', undefined],
  ['1,25,0', undefined],
  ['-1', undefined],
  ['ten', undefined],
])('%s as typed', (text, minor) => expect(minorOf(text, 'EUR')).toBe(minor));

it.each([
  ['1250', { amount: 1_250 }],
  ['12.50', { amount: 1_250 }],
  ['12,50 EUR', { amount: 1_250, currency: 'EUR' }],
  ['12 eur', { amount: 1_200, currency: 'EUR' }],
  ['1250JPY', { amount: 1_250, currency: 'JPY' }],
  ['12.50 JPY', undefined],
  ['1.250 KWD', { amount: 1_250, currency: 'KWD' }],
  ['EUR', undefined],
])('a person looks for %s', (text, found) => expect(amountOf(text)).toEqual(found));

it.each([
  [400, '0.4 s'],
  [61_000, '1 min 1 s'],
  [7_200_000, '2 h'],
  [93_784_000, '1 d 2 h'],
])('%i ms', (ms, text) => expect(duration(ms)).toBe(text));

it('counts in words', () => expect([count(1, 'entry'), count(1_200, 'entry')]).toEqual(['1 entry', '1,200 entries']));

it('a sentence of a service has its times and codes in words', () => {
  const at = new Date(2026, 10, 29, 8, 20, 46);
  const sentence = `"not_executed" counts from ${at.toISOString()} on`;
  expect(humane(sentence, at.getTime())).toBe('“not executed” counts from 08:20:46 on');
});

it.each([
  ['answer.transactionId', 'TRANSACTIONID'],
  ['executedAt', 'executed at'],
  ['otherAmounts', 'amounts reported'],
])('the field %s', (path, words) => expect(fieldInWords(path)).toBe(words));

it('what nobody would see has a name, and all else stays as it is', () => {
  expect(piecesOf('a\u202Eb')).toEqual([
    { text: 'a', isName: false },
    { text: 'U+202E', isName: true },
    { text: 'b', isName: false },
  ]);
  expect(plain('x\u0000\n\u200B')).toBe('x⟨U+0000⟩⟨U+000A⟩⟨U+200B⟩');
  expect(plain('<b>Ünïcode 漢字</b>')).toBe('<b>Ünïcode 漢字</b>');
});
