import { binBrandsOf, binOf, hasBrand, networkOf, schemeOf } from './card-bins.js';
import { isCardExpired, maskedCard, passesLuhn } from './card.js';

it.each([
  ['4111111111111111', true],
  ['4111111111111112', false],
  ['4970101200040016', true],
  ['4970101200400016', false],
  ['6390141000000010016', true],
  ['79927398713', true],
  ['79927398710', false],
])('Luhn %s: %s', (code, passes) => {
  expect(passesLuhn(code)).toBe(passes);
});

it.each([
  ['4970101200040016', 'FR', 'cb,visa', 'VISA'],
  ['4370452000090016', 'FR', 'cb,vpay', 'VISA'],
  ['5817311000050016', 'FR', 'cb', 'CB'],
  ['6390141000000010016', 'ES', 'maestro', 'MASTERCARD'],
  ['4918021000010016', 'ES', 'electron', 'VISA'],
  ['4111111111111111', undefined, 'visa', 'VISA'],
  ['2720990000000007', undefined, 'mastercard', 'MASTERCARD'],
  ['5612345678901234', undefined, 'maestro', 'MASTERCARD'],
  ['9999999999999995', undefined, 'cb', 'CB'],
])('BIN of %s: %s %s %s', (code, country, brands, network) => {
  const bin = binOf(code);
  expect([bin.country, bin.brands.join(), networkOf(bin)]).toEqual([country, brands, network]);
  expect(binBrandsOf(bin).map(({ BRAND }) => BRAND)).toEqual(bin.brands);
  expect([hasBrand(bin, schemeOf(bin)), hasBrand(bin, 'amex')]).toEqual([true, false]);
});

it("shows of a card its last four digits, the brand paid with and the issuer's country", () => {
  const card = { code: '4970101200040016', validityDate: '12-49', fullName: 'Jane Doe' };
  const shown = {
    number: 'XXXXXXXXXXXX0016',
    validityDate: '12-49',
    fullName: 'Jane Doe',
    type: 'visa',
    country: 'FR',
  };
  expect(maskedCard(card, 'ES')).toEqual(shown);
  expect(maskedCard({ ...card, selectedBrand: 'cb' }, 'ES')).toEqual({ ...shown, type: 'cb' });
  expect(maskedCard({ ...card, code: '4111111111111111' }, 'ES').country).toBe('ES');
});

it('is good to the end of its month', () => {
  expect(isCardExpired('02-28', Date.UTC(2028, 2, 1) - 1)).toBe(false);
  expect(isCardExpired('02-28', Date.UTC(2028, 2, 1))).toBe(true);
});
