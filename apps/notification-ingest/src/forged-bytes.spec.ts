import { createHash } from 'node:crypto';
import { platformHash } from '@tranche/platform';
import fc from 'fast-check';
import { parametersOfMultipart } from './multipart-parameters.js';
import { isSignedBy } from '@tranche/platform';
import { parametersOfForm, parametersOfJson, type Parameters, type Unreadable } from './received-parameters.js';
import { merchant } from '../test/merchant.js';

const TYPE = 'multipart/form-data; boundary=xyz';
const pairs: [string, string][] = [
  ['IDENTIFIER', 'Shop'],
  ['ORDERID', 'order 1'],
  ['AMOUNT', '30000'],
  ['MESSAGE', 'Réussie, 100 % & plus \ufffd'],
  ['EXTRADATA', 'a=b=c'],
  ['CART[0][NAME]', '"\\'],
];
const genuine: Parameters = [...pairs, ['HASH', platformHash('the-key', pairs)]];

/** A platform without UTF-8 signs the key, each pair and the key again, with one byte per character. */
const latin1 = pairs.map(([name, value]): [string, string] => [name, value.replace('\ufffd', '\xff')]);
const signedLatin1 = [...latin1].sort(([a], [b]) => (a < b ? -1 : 1)).map(([n, v]) => `${n}=${v}the-key`);
const hashOfLatin1 = createHash('sha256')
  .update(Buffer.from(`the-key${signedLatin1.join('')}`, 'latin1'))
  .digest('hex');
const escapedLatin1 = (text: string) =>
  text.replace(/[^A-Za-z0-9]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);

const ways: Record<string, { bytes: Buffer; read: (bytes: Buffer) => Parameters | Unreadable }> = {
  urlencoded: {
    bytes: Buffer.from(new URLSearchParams(genuine.map(([n, v]): [string, string] => [n, v])).toString()),
    read: parametersOfForm,
  },
  multipart: {
    bytes: Buffer.from(
      genuine.map(([n, v]) => `--xyz\r\nContent-Disposition: form-data; name="${n}"\r\n\r\n${v}\r\n`).join('') +
        '--xyz--\r\n',
    ),
    read: (bytes) => parametersOfMultipart(TYPE, bytes),
  },
  'ISO-8859-1, urlencoded': {
    bytes: Buffer.from(
      [...latin1, ['HASH', hashOfLatin1]].map((pair) => pair.map((text) => escapedLatin1(text)).join('=')).join('&'),
    ),
    read: parametersOfForm,
  },
  'ISO-8859-1, multipart': {
    bytes: Buffer.from(
      [...latin1, ['HASH', hashOfLatin1]]
        .map(([n, v]) => `--xyz\r\nContent-Disposition: form-data; name="${n}"\r\n\r\n${v}\r\n`)
        .join('') + '--xyz--\r\n',
      'latin1',
    ),
    read: (bytes) => parametersOfMultipart(TYPE, bytes),
  },
  json: { bytes: Buffer.from(JSON.stringify(Object.fromEntries(genuine))), read: parametersOfJson },
};

/** HASH does not cover itself: its digits may be written in capitals or padded. */
const canonical = (parameters: Parameters) =>
  JSON.stringify(parameters.filter(([name]) => name !== 'HASH').sort(([a], [b]) => (a < b ? -1 : 1)));
const bits = [1, 2, 4, 8, 16, 32, 64, 128];
/** Characters with a meaning in at least one of the encodings, and bytes that are invalid in UTF-8. */
const TELLING = Buffer.from('&=%+#;[]{}":,\\\0 \r\n\x80\xff', 'latin1');

/** A forgery: it verifies, but its text differs from the signed one. */
const isForged = (read: Parameters | Unreadable, original: Parameters) =>
  !('unreadable' in read) && isSignedBy(merchant, read) && canonical(read) !== canonical(original);

describe.each(Object.keys(ways))('a signed notification in %s', (way) => {
  const { bytes, read: readOf } = ways[way]!;
  const original = readOf(bytes) as Parameters;
  const isTakenForElse = (other: Buffer) => isForged(readOf(other), original);

  it('is taken', () => expect(isSignedBy(merchant, original)).toBe(true));

  it('is not read as another one with any bit flipped, any byte replaced, removed or doubled, or the rest cut off', () => {
    for (let at = 0; at < bytes.length; at++) {
      const rest = bytes.subarray(at + 1);
      for (const byte of [...bits.map((bit) => bytes[at]! ^ bit), ...TELLING])
        if (isTakenForElse(Buffer.concat([bytes.subarray(0, at), Buffer.from([byte]), rest])))
          throw new Error(`byte ${at} as ${byte}`);
      expect(isTakenForElse(Buffer.concat([bytes.subarray(0, at), rest]))).toBe(false);
      expect(isTakenForElse(Buffer.concat([bytes.subarray(0, at + 1), bytes.subarray(at)]))).toBe(false);
      expect(isTakenForElse(bytes.subarray(0, at))).toBe(false);
    }
  });

  it('is not read as another one with any two parts exchanged', () => {
    const place = fc.nat(bytes.length);
    fc.assert(
      fc.property(fc.tuple(place, place, place, place), (places) => {
        const [a, b, c, d] = places.sort((x, y) => x - y);
        const parts = [
          bytes.subarray(0, a),
          bytes.subarray(c, d),
          bytes.subarray(b, c),
          bytes.subarray(a, b),
          bytes.subarray(d),
        ];
        return !isTakenForElse(Buffer.concat(parts));
      }),
      { numRuns: 2_000 },
    );
  });
});

it.each<[string, (name: string, value: string) => Parameters]>([
  [
    'the equals sign moved',
    (name, value) =>
      value.includes('=') ? [[`${name}=${value.split('=')[0]}`, value.slice(value.indexOf('=') + 1)]] : [],
  ],
  ['another pair behind the key in a value', (name, value) => [[name, `${value}the-keyZZZ=1`]]],
  [
    'its name twice',
    (name, value) => [
      [name, value],
      [name, value],
    ],
  ],
  ['its name in brackets', (name, value) => [[`${name}[]`, value]]],
  ['its name with a byte order mark', (name, value) => [[`\ufeff${name}`, value]]],
  ['a NUL behind', (name, value) => [[name, `${value}\0`]]],
])('every field with %s is no notification', (_what, mutate) => {
  for (const [name, value] of genuine) {
    const mutated = mutate(name, value);
    if (mutated.length === 0) continue;
    const all = [...genuine.filter(([one]) => one !== name), ...mutated];
    const form = all.map(([n, v]) => `${encodeURIComponent(n)}=${encodeURIComponent(v)}`).join('&');
    const read = parametersOfForm(Buffer.from(form));
    expect('unreadable' in read || !isSignedBy(merchant, read)).toBe(true);
  }
});
