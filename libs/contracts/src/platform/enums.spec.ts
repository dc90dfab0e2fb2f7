import { OPERATION_KINDS } from '../message-types.js';
import { METHODS } from '../methods.js';
import { OPERATION_TYPE_OF, OPERATION_TYPES, operationKindOf, PROTOCOL_VERSION } from './enums.js';

it('method A has sk where method B has cs [Transaction.LANGUAGE] [Events.{A,B}.LANGUAGE]', () => {
  expect(METHODS.A.languages).toEqual(['fr', 'en', 'de', 'es', 'it', 'nl', 'zh', 'ru', 'pt', 'sk']);
  expect(METHODS.B.languages).toEqual(['fr', 'en', 'de', 'es', 'it', 'nl', 'zh', 'ru', 'pt', 'cs']);
  expect(new Set(METHODS.card.languages)).toEqual(new Set([...METHODS.A.languages, ...METHODS.B.languages]));
});

it('names the five operations as the platform does [Service.2] [Transaction.OPERATIONTYPE]', () => {
  expect(OPERATION_TYPES).toEqual(['authorization', 'capture', 'refund', 'void', 'payment']);
  expect(Object.values(OPERATION_TYPE_OF)).toEqual(OPERATION_TYPES);
  expect(OPERATION_TYPES.map(operationKindOf)).toEqual(OPERATION_KINDS);
  expect([operationKindOf('credit'), operationKindOf('toString')]).toEqual([undefined, undefined]);
  expect(PROTOCOL_VERSION).toBe('3.0');
});
