import { holderOfKey, Secret } from './secret.js';
import { Problem } from './problem.js';

const alice = { name: 'alice', key: new Secret('alice-key-that-is-long-enough-to-be-one') };
const bob = { name: 'bob', key: new Secret('bob-key-that-is-long-enough-to-be-one-too') };

describe('bearer keys', () => {
  it.each([
    ['Bearer alice-key-that-is-long-enough-to-be-one', alice],
    ['bearer bob-key-that-is-long-enough-to-be-one-too', bob],
  ])('knows the holder of %s', (header, holder) => {
    expect(holderOfKey([alice, bob], header)).toBe(holder);
  });

  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Bearer alice-key-that-is-long-enough-to-be-on',
    'Bearer alice-key-that-is-long-enough-to-be-one ',
    'Basic alice-key-that-is-long-enough-to-be-one',
    `Bearer ${'x'.repeat(257)}`,
  ])('refuses %s, and repeats nothing of it', (header) => {
    expect(() => holderOfKey([alice, bob], header)).toThrow(
      expect.objectContaining<Partial<Problem>>({
        status: 401,
        code: 'unauthorized',
        headers: { 'www-authenticate': 'Bearer' },
      }),
    );
    expect(() => holderOfKey([alice, bob], header)).toThrow(/^A known key is needed: Authorization: Bearer <key>\.$/);
  });

  it('has no holder where there are none', () => {
    expect(() => holderOfKey([], 'Bearer x')).toThrow(Problem);
  });
});
