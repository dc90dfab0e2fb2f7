import { METHOD_NAMES, readNotification } from '@tranche/contracts';
import { notifiedResult } from './notification.js';

const RECEIVED = '2026-03-01T10:00:00.000Z';
const resultOf = (parameters: Record<string, string>) =>
  notifiedResult(
    readNotification(
      'shop-fr',
      Object.entries({ OPERATIONTYPE: 'payment', EXECCODE: '0000', ...parameters }),
      RECEIVED,
    ),
  );

it('keeps currency, language, the card as it is masked, and when it was received', () => {
  const card = { CARDCODE: 'XXXXXXXXXXXX1234', CARDTYPE: 'visa', SELECTEDBRAND: 'cb', CARDCOUNTRY: 'FR' };
  expect(resultOf({ CURRENCY: 'EUR', LANGUAGE: 'fr', ...card })).toMatchObject({
    ...{ currency: 'EUR', language: 'fr', languageOf: METHOD_NAMES, executedAt: RECEIVED },
    ...{ maskedCard: 'XXXXXXXXXXXX1234', cardBrand: 'visa', selectedBrand: 'cb', cardCountry: 'FR' },
  });
});

it.each([
  ['sk', ['A', 'card']],
  ['cs', ['B', 'card']],
  ['xx', []],
])('says of which methods %s is a language: %j', (LANGUAGE, languageOf) => {
  expect(resultOf({ LANGUAGE }).languageOf).toEqual(languageOf);
});

it.each([
  ['a currency that is none', { CURRENCY: 'euro' }, 'currency'],
  ['a language that is a text', { LANGUAGE: 'x'.repeat(65) }, 'language'],
  ['a brand that is a text', { CARDTYPE: 'x'.repeat(65) }, 'cardBrand'],
  ['what is not there', {}, 'maskedCard'],
] as const)('leaves out %s', (_what, parameters, name) => {
  expect(resultOf(parameters)).not.toHaveProperty(name);
});
