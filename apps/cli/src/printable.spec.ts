import { jsonText, printable, printableInLine } from './printable.js';

it.each([
  ['an escape sequence', '\u001b[2J', '\\u001b[2J'],
  ['a mark of direction', 'ab\u202ecd', 'ab\\u202ecd'],
  ['a character of no width', 'a\u200bb', 'a\\u200bb'],
  ['half a pair', 'a\ud800b', 'a\\ud800b'],
  ['a control beyond the first 32', '\u009b31m', '\\u009b31m'],
  ['a separator of lines', '\u2028', '\\u2028'],
  ['letters of any script and emoji', 'Ünïcødé 💳 日本', 'Ünïcødé 💳 日本'],
])('%s is shown as such', (_, text, expected) => expect(printable(text)).toBe(expected));

it('a line break stays between lines, and not within one', () => {
  expect(printable('a\nb')).toBe('a\nb');
  expect(printableInLine('a\nb')).toBe('a\\u000ab');
});

it('JSON is read back as it was', () => {
  const value = { '\u202ekey': 'a\u001b\u200b\ud800"\\', offset: 9_007_199_254_740_993n };
  const text = jsonText(value, 2);
  expect(text).toMatch(/^[\n -~]*$/);
  expect(JSON.parse(text)).toEqual({ ...value, offset: '9007199254740993' });
});
