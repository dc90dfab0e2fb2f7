import { hashOf, isHashOf } from './platform-hash.js';

const cart = [0, 1, 2, 10].flatMap((i): [string, string][] => [
  [`CART[${i}][NAME]`, `item${i}`],
  [`CART[${i}][PRICE]`, '100'],
]);
const letters: [string, string][] = [
  ['c', '3'],
  ['a', '1'],
  ['b', '2'],
];

const vectors: [title: string, key: string, parameters: [string, string][], hash: string][] = [
  ['unsorted names', 'password', letters, '77c71c1e70ea28525cf078537d22d1932922e3741ed83287b0dc0a117bf77999'],
  [
    'HASH itself left out',
    'password',
    [...letters, ['HASH', 'x']],
    '77c71c1e70ea28525cf078537d22d1932922e3741ed83287b0dc0a117bf77999',
  ],
  [
    'nested leaves',
    'password',
    [...letters, ['d[y]', '43'], ['d[x]', '42']],
    '376383093261372eb97909ed1a44b1adb5e8f2687f7a64f1c41d5a0c8cc0b0fa',
  ],
  [
    'a capture of an older client',
    'PASSWORD',
    Object.entries({
      VERSION: '2.0',
      TRANSACTIONID: 'test1',
      ORDERID: 'order_21',
      OPERATIONTYPE: 'capture',
      IDENTIFIER: 'IDENTIFIER',
      DESCRIPTION: 'Capture test 01',
    }),
    'ea22191f962b6fc708f48baff8600f8caaea3afa7e8be3f2d2dafb3249396e72',
  ],
  [
    'a plain request',
    'secret',
    Object.entries({ AMOUNT: '1000', CLIENTIDENT: 'johndoe', DESCRIPTION: 'desc', IDENTIFIER: '123' }),
    '879e317b04d4b7c3376b1c9691a1cea45ba75b9c508a99e379705f3ab44b6088',
  ],
  ['no parameter at all', 'HeyYou', [], 'e6782449ad8c6c6c50563901573179137ac8056dff3b333be8c9561a7edb659e'],
  [
    'a cart in numeric order, an empty value, UTF-8 and digits before capitals',
    'secret',
    [
      ...cart.reverse(),
      ['OPERATIONTYPE', 'authorization'],
      ['IDENTIFIER', 'id'],
      ['EXTRADATA', ''],
      ['BILLINGCITY', 'Orléans'],
      ['3DSECURE', 'yes'],
    ],
    '66ea3769451e7ad4265952ccef4506e7d38a4e5bc1ca0ea20bdf42c8dcf2a5cd',
  ],
];

describe('hashOf', () => {
  it.each(vectors)('%s', (_title, key, parameters, hash) => {
    expect(hashOf(key, parameters)).toBe(hash);
  });

  it('sorts names, not pairs: A before A0 although "A0=" sorts before "A="', () => {
    const straight = hashOf('k', [
      ['A', '1'],
      ['A0', '2'],
    ]);
    const turned = hashOf('k', [
      ['A0', '2'],
      ['A', '1'],
    ]);
    expect(turned).toBe(straight);
    expect(straight).toBe('83bfb9c251165de4ebe73e46d4d31ba8dfec2a75573db561c62ee201a7e2d341');
  });
});

describe('isHashOf', () => {
  const [, key, parameters, hash] = vectors[0] ?? ['', '', [], ''];
  it.each([
    ['the hash', hash, true],
    ['the same in capitals', hash.toUpperCase(), false],
    ['one digit changed', `0${hash.slice(1)}`, false],
    ['too short', hash.slice(1), false],
    ['nothing', '', false],
  ])('%s', (_title, sent, expected) => {
    expect(isHashOf(key, parameters, sent)).toBe(expected);
  });
});
