import { cardName, inFours, passesLuhn, readExpiry, readNumber, withSlash } from './card-entry.js';

it.each([
  ['4970 1012 0004 0016', '4970101200040016'],
  ['4970-1012-0004-0016 ', '4970101200040016'],
  ['4970\u00a01012\u00a00004\u00a00016', '4970101200040016'],
  ['4970 1012 0004 001x', '4970 1012 0004 001x'],
  ['', ''],
])('the number %j is read as %j [Card.unaltered]', (typed, read) => expect(readNumber(typed)).toBe(read));

it.each([
  ['12/29', '12-29'],
  ['1229', '12-29'],
  ['12/2029', '12-29'],
  ['122029', '12-29'],
  ['12-29', '12-29'],
  [' 12 / 29 ', '12-29'],
  ['9/28', '09-28'],
  ['928', '928'],
  ['12/1929', '12/1929'],
  ['2029-12', '2029-12'],
  ['', ''],
])('the expiry %j is read as %j', (typed, read) => expect(readExpiry(typed)).toBe(read));

it.each([
  ['49701', '4970 1'],
  ['4970', '4970'],
  ['4970 1012', '4970 1012'],
  ['4970 101200040016999', '4970 1012 0004 0016 999'],
  ['4970x1', '4970x1'],
])('the number %j is shown as %j', (typed, text) => expect(inFours(typed)).toBe(text));

it.each([
  ['12', '12'],
  ['122', '12/2'],
  ['1229', '12/29'],
  ['122029', '12/2029'],
  ['12/29', '12/29'],
  ['12-29', '12-29'],
  ['9/28', '9/28'],
])('the expiry %j is shown as %j', (typed, text) => expect(withSlash(typed)).toBe(text));

it.each([
  ['4970101200040016', true],
  ['4970101200040017', false],
  ['63901410000090016', false],
])('the check digit of %s: %s', (digits, isRight) => expect(passesLuhn(digits)).toBe(isRight));

it.each([
  [{ brand: 'visa', lastFour: '1234' }, 'Visa •••• 1234'],
  [{ brand: 'CB', lastFour: '0016' }, 'CB •••• 0016'],
  [{ brand: 'Other', lastFour: '0016' }, 'Other •••• 0016'],
  [{ lastFour: '0016' }, '•••• 0016'],
])('%j is shown as %s', (card, name) => expect(cardName(card)).toBe(name));
