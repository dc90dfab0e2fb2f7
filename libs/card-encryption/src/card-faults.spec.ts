import { CARD } from '../test/fake-platform.js';
import { brandsOfNumber, cardFaults, type Card } from './index.js';

const faultsOf = (changes: Record<string, unknown>) => cardFaults({ ...CARD, ...changes });

it.each([
  ['cardCode', '123456789012'],
  ['cardCode', '1234567890123456789'],
  ['cardValidityDate', '01-00'],
  ['cardValidityDate', '12-99'],
  ['cardCvv', '123'],
  ['cardCvv', '0000'],
  ...['cb', 'visa', 'vpay', 'electron', 'mastercard', 'maestro'].map((brand) => ['selectedBrand', brand]),
])('takes %s %s [Card.SELECTEDBRAND]', (field, value) => {
  expect(faultsOf({ [field]: value })).toEqual([]);
});

it.each([
  ['cardCode', '12345678901', 'format'],
  ['cardCode', '12345678901234567890', 'format'],
  ['cardCode', '4970 1012 0004 0016', 'format'],
  ['cardCode', '4970101200040016 ', 'format'],
  ['cardCode', '4970101200040016\n', 'format'],
  ['cardCode', '٤٩٧٠١٠١٢٠٠٠٤٠٠١٦', 'format'],
  ['cardCode', 4970101200040016, 'format'],
  ['cardCode', '', 'required'],
  ['cardCode', undefined, 'required'],
  ['cardCode', null, 'required'],
  ['cardValidityDate', '00-49', 'format'],
  ['cardValidityDate', '13-49', 'format'],
  ['cardValidityDate', '1-49', 'format'],
  ['cardValidityDate', '12/49', 'format'],
  ['cardValidityDate', '12-2049', 'format'],
  ['cardValidityDate', '1249', 'format'],
  ['cardValidityDate', '', 'required'],
  ['cardCvv', '12', 'format'],
  ['cardCvv', '12345', 'format'],
  ['cardCvv', '12a', 'format'],
  ['cardCvv', '', 'required'],
  ['selectedBrand', 'VISA', 'unknown_brand'],
  ['selectedBrand', 'amex', 'unknown_brand'],
])('refuses %s %j: %s [Card.{CARDCODE,CARDCVV,CARDVALIDITYDATE}]', (field, value, code) => {
  expect(faultsOf({ [field]: value })).toEqual([{ field, code }]);
});

it.each([undefined, null, ''])('asks for no brand where the page offers none: %j', (selectedBrand) => {
  expect(faultsOf({ selectedBrand })).toEqual([]);
});

it('names every fault at once, in the order of the fields', () => {
  expect(
    cardFaults({ cardCode: '1', cardValidityDate: '', cardCvv: '1', selectedBrand: 'x' } as unknown as Card),
  ).toEqual([
    { field: 'cardCode', code: 'format' },
    { field: 'cardValidityDate', code: 'required' },
    { field: 'cardCvv', code: 'format' },
    { field: 'selectedBrand', code: 'unknown_brand' },
  ]);
});

it('reads the fields of an object of any class', () => {
  class Form {
    get cardCode() {
      return CARD.cardCode;
    }
    cardValidityDate = CARD.cardValidityDate;
    cardCvv = CARD.cardCvv;
    selectedBrand = CARD.selectedBrand;
  }
  expect(cardFaults(new Form())).toEqual([]);
});

it.each([null, undefined, 7, 'card'])('%s lacks every field that is needed', (card) => {
  expect(cardFaults(card as unknown as Card).map(({ code }) => code)).toEqual(['required', 'required', 'required']);
});

it.each([
  ['4', 'visa cb vpay electron'],
  ['4970101200040016', 'visa cb vpay electron'],
  ['5132', 'mastercard cb'],
  ['2221', 'mastercard cb'],
  ['6759', 'maestro cb'],
  ['50', 'maestro cb'],
  ['5', ''],
  ['37', ''],
  ['', ''],
])('a card whose number begins with %s is offered the brands %s', (first, brands) => {
  expect(brandsOfNumber(first).join(' ')).toBe(brands);
  for (const selectedBrand of brandsOfNumber(first)) expect(faultsOf({ selectedBrand })).toEqual([]);
});
