import { growth } from '@tranche/testing';
import { withoutHiddenCardData } from './hidden-card-data.js';

/** Repeated beginnings of matches: a search that restarts at each of them would take quadratic time. */
const worst = [
  ...[
    '1',
    '4 ',
    '1    ',
    '4970 1012 0004 0016 ',
    '4970101200040016',
    '49701012000400161229',
    'cvv ',
    'cvv            1',
  ],
  ...[
    '\\',
    '\\u0034',
    '%34',
    '%25',
    '&',
    '&amp;',
    '&#52;',
    '\u0301\u0323',
    '\ufdfa',
    '٤',
    '４',
    '\u200b1',
    'security   ',
  ],
];
it.each(worst)('searches in time that grows with the text: %j', (piece) => {
  const search = (length: number) => void withoutHiddenCardData(piece.repeat(Math.ceil(length / piece.length)));
  expect(growth(search)).toBeLessThan(20);
});
