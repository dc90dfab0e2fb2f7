import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { equalHash, platformHash } from './hash.js';

type Pairs = [string, string][];
const items = (indices: readonly number[]): Pairs =>
  indices.flatMap((i): Pairs => [
    [`CART[${i}][NAME]`, `item${i}`],
    [`CART[${i}][PRICE]`, '100'],
  ]);
const manyItems: Pairs = [
  ['3DSECURE', 'yes'],
  ['BILLINGCITY', 'Orléans'],
  ...items([0, 1, 2, 10]),
  ['EXTRADATA', ''],
  ['IDENTIFIER', 'id'],
  ['OPERATIONTYPE', 'authorization'],
];

describe('vectors of existing clients [Transaction.HASH] [Authentication.5.HASH]', () => {
  it.each<[string, Pairs, string]>([
    [
      'password',
      [
        ['c', '3'],
        ['a', '1'],
        ['b', '2'],
      ],
      '77c71c1e70ea28525cf078537d22d1932922e3741ed83287b0dc0a117bf77999',
    ],
    [
      'password',
      [
        ['c', '3'],
        ['HASH', 'x'],
        ['a', '1'],
        ['b', '2'],
      ],
      '77c71c1e70ea28525cf078537d22d1932922e3741ed83287b0dc0a117bf77999',
    ],
    [
      'password',
      [
        ['c', '3'],
        ['a', '1'],
        ['b', '2'],
        ['d[y]', '43'],
        ['d[x]', '42'],
      ],
      '376383093261372eb97909ed1a44b1adb5e8f2687f7a64f1c41d5a0c8cc0b0fa',
    ],
    [
      'PASSWORD',
      [
        ['DESCRIPTION', 'Capture test 01'],
        ['IDENTIFIER', 'IDENTIFIER'],
        ['OPERATIONTYPE', 'capture'],
        ['ORDERID', 'order_21'],
        ['TRANSACTIONID', 'test1'],
        ['VERSION', '2.0'],
      ],
      'ea22191f962b6fc708f48baff8600f8caaea3afa7e8be3f2d2dafb3249396e72',
    ],
    [
      'secret',
      [
        ['AMOUNT', '1000'],
        ['CLIENTIDENT', 'johndoe'],
        ['DESCRIPTION', 'desc'],
        ['IDENTIFIER', '123'],
      ],
      '879e317b04d4b7c3376b1c9691a1cea45ba75b9c508a99e379705f3ab44b6088',
    ],
    ['HeyYou', [], 'e6782449ad8c6c6c50563901573179137ac8056dff3b333be8c9561a7edb659e'],
    ['secret', manyItems, '66ea3769451e7ad4265952ccef4506e7d38a4e5bc1ca0ea20bdf42c8dcf2a5cd'],
  ])('K = %s, %j', (key, pairs, hash) => {
    expect(platformHash(key, pairs)).toBe(hash);
    expect(platformHash(key, [...pairs].reverse())).toBe(hash);
    expect(platformHash(key, new Map(pairs))).toBe(hash);
  });
});

describe('order of the names', () => {
  const clear = (names: string[]) =>
    createHash('sha256')
      .update(names.reduce((text, name) => `${text}${name}=K`, 'K'))
      .digest('hex');

  it.each([
    ['by bytes, digits before capitals', ['3D', 'A', 'B', 'a', 'é', '𝔘']],
    ['a name before a longer one that begins with it', ['A', 'A[0]', 'A0']],
    ['indices by number', ['C[0]', 'C[1]', 'C[2]', 'C[10]', 'C[100]']],
    ['indices before names at one level', ['C[2]', 'C[10]', 'C[01]', 'C[1a]', 'C[a]']],
    ['a parameter that is a number is a name', ['10', '9']],
    [
      'level by level',
      ['A[0][Z]', 'A[1][A]', 'A[1][B][0]', 'A[1][B][10]', 'AMOUNTS[2027-01-02]', 'AMOUNTS[2027-01-10]'],
    ],
    ['broken brackets are part of a plain name', ['A[0', 'A[1', 'A[10']],
    ['beyond the basic plane by bytes, not by code units', ['\uffee', '𝔘']],
  ])('%s', (_rule, names) => {
    const pairs = names.map((name): [string, string] => [name, '']);
    expect(platformHash('K', [...pairs].reverse())).toBe(clear(names));
  });

  it('does not depend on the order of the parameters', () => {
    const name = fc.oneof(
      fc.string({ maxLength: 4 }),
      fc.constantFrom('A[0]', 'A[10]', 'A[9]', 'A[5A]', 'A', 'A[x][1]'),
    );
    const pairs = fc.uniqueArray(fc.tuple(name, fc.string({ maxLength: 3 })), { selector: ([key]) => key });
    fc.assert(
      fc.property(pairs, (some) => expect(platformHash('k', [...some].reverse())).toBe(platformHash('k', some))),
    );
  });
});

it('leaves out HASH itself only, not a nested one', () => {
  expect(
    platformHash('k', [
      ['HASH', 'x'],
      ['A', '1'],
    ]),
  ).toBe(platformHash('k', [['A', '1']]));
  expect(
    platformHash('k', [
      ['A[HASH]', 'x'],
      ['A', '1'],
    ]),
  ).not.toBe(platformHash('k', [['A', '1']]));
});

it('hashes an empty value as NAME=', () => {
  expect(platformHash('k', [['A', '']])).toBe(createHash('sha256').update('kA=k').digest('hex'));
});

it.each(['__proto__', 'constructor', 'toString'])('takes %s as any other name', (name) => {
  expect(platformHash('k', [[name, 'v']])).toBe(createHash('sha256').update(`k${name}=vk`).digest('hex'));
});

describe('equalHash', () => {
  const hash = platformHash('k', []);
  it.each([
    ['itself', hash, true],
    ['in capitals', hash.toUpperCase(), false],
    ['one character changed', `${hash.slice(0, 63)}${hash.endsWith('0') ? '1' : '0'}`, false],
    ['shorter', hash.slice(0, 63), false],
    ['longer', `${hash}0`, false],
    ['empty', '', false],
    ['of other width in bytes', 'é'.repeat(32), false],
  ])('%s: %s → %s', (_name, other, equal) => expect(equalHash(hash, other)).toBe(equal));
});
