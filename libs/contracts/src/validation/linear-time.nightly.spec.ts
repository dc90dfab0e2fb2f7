import { growth } from '@tranche/testing';
import { SCHEMA_SOURCES } from '../schemas.js';
import { check, fieldsOf } from './check.js';
import type { MessageClass } from './doc.js';

/** All message classes that `type` consists of, each once. */
function classesOf(type: MessageClass, known = new Set<MessageClass>()): Set<MessageClass> {
  if (known.has(type)) return known;
  known.add(type);
  for (const { nested } of fieldsOf(type)) if (nested !== undefined) classesOf(nested, known);
  return known;
}

const classes = [...new Set(SCHEMA_SOURCES.flatMap(({ type }) => [...classesOf(type)]))];
const fields = classes.flatMap((type) => fieldsOf(type).map(({ name }) => ({ type, name })));

/** Beginnings of what the rules search for. Each is repeated to the full length, with an end that never matches. */
const PIECES = ['1', '1 ', '0', 'a', 'a.', 'a@', '=', ' ', '2027-01-01T', 'http://', 'http://a', '+33', '4970 1012 0004 ', 'cvv ', '😀', '\ud800']; // prettier-ignore

it('there are fields of every kind', () => {
  expect(fields.length).toBeGreaterThan(150);
});

it.each(PIECES)('each field judges a text in time that grows with it: %j', (piece) => {
  const judge = (length: number) => {
    const text = `${piece.repeat(Math.ceil(length / piece.length))}\n`;
    for (const { type, name } of fields) check(type, { [name]: text }, 'ignored');
  };
  expect(growth(judge)).toBeLessThan(20);
});
