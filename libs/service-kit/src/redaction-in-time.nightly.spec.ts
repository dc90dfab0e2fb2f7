import { growth, processorMs } from '@tranche/testing';
import { redactText } from './redaction.js';

it.each([
  ['letters', 'x'.repeat(200_000)],
  ['starts of a JWT', 'eyJ-'.repeat(50_000)],
  ['starts of an address', 'a://'.repeat(50_000)],
  ['bearers', 'Bearer '.repeat(30_000)],
])('takes no longer than a text is long: %s', (_what, text) => {
  expect(processorMs(() => redactText(text))).toBeLessThan(5_000);
});

const worst = [
  '1',
  '4 ',
  '4    ',
  '\\u0034',
  '%34',
  '&#52;',
  '٤',
  '4111 1111 1111 1111 ',
  'cvv ',
  'eyJ',
  'a.',
  'Bearer ',
  'x://',
  '４',
];
it.each(worst)('a text is searched in time that grows with the text: %s', (piece) => {
  expect(growth((length) => redactText(piece.repeat(Math.ceil(length / piece.length))))).toBeLessThan(20);
});
