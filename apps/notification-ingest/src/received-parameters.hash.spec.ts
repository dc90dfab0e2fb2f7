import { contentHash } from './received-parameters.js';

describe('contentHash', () => {
  const hash = contentHash([['A', '1'], ['B', '2'], ['HASH', 'x']]); // prettier-ignore

  it.each([
    ['in another order', [['HASH', 'x'], ['B', '2'], ['A', '1']]],
    ['signed with another key', [['A', '1'], ['B', '2'], ['HASH', 'y']]],
  ] as const)('is the same %s', (_how, parameters) => expect(contentHash(parameters)).toBe(hash)); // prettier-ignore

  it.each([
    ['with another value', [['A', '1'], ['B', '3'], ['HASH', 'x']]],
    ['with a parameter more', [['A', '1'], ['B', '2'], ['C', ''], ['HASH', 'x']]],
    ['when the border between name and value moves', [['A', '1B'], ['2', ''], ['HASH', 'x']]],
  ] as const)('is another %s', (_how, parameters) => expect(contentHash(parameters)).not.toBe(hash)); // prettier-ignore

  it('is 64 lower-case hexadecimal digits', () => expect(hash).toMatch(/^[0-9a-f]{64}$/));
});
