import { LANGUAGES, OPERATION_TYPE_OF, OPERATION_TYPES, PROTOCOL_VERSION } from './enums.js';

it('method A has sk where method B has cs', () => {
  expect(LANGUAGES.A).toEqual(['fr', 'en', 'de', 'es', 'it', 'nl', 'zh', 'ru', 'pt', 'sk']);
  expect(LANGUAGES.B).toEqual(['fr', 'en', 'de', 'es', 'it', 'nl', 'zh', 'ru', 'pt', 'cs']);
  expect(new Set(LANGUAGES.card)).toEqual(new Set([...LANGUAGES.A, ...LANGUAGES.B]));
});

it('names the five operations as the platform does', () => {
  expect(OPERATION_TYPES).toEqual(['authorization', 'capture', 'refund', 'void', 'payment']);
  expect(Object.values(OPERATION_TYPE_OF)).toEqual(OPERATION_TYPES);
  expect(PROTOCOL_VERSION).toBe('3.0');
});
