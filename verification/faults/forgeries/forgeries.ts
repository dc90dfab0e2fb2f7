import { gzipSync } from 'node:zlib';
import type { Random } from '../../simulation/random.js';
import { areSame, decoded, encoded, ENCODINGS, KEYS, notification, requestOf, signed, TARGET, type Encoding, type Pairs } from './messages.js'; // prettier-ignore

export interface Forgery {
  kind: string;
  request: Buffer;
}

/** Bytes with a meaning in one of the encodings. */
const BYTES_WITH_A_MEANING = Buffer.from('&=%+#?;[]{}":,\\\0 \r\n\x80\xff', 'latin1');
const TEN_MEGABYTES = 10 * 1024 * 1024;

const genuine = signed(notification(TARGET));
const hash = genuine.at(-1)![1];
const without = (name: string, pairs: Pairs = genuine) => pairs.filter(([one]) => one !== name);
const withValue = (name: string, value: string, pairs: Pairs = genuine): Pairs =>
  pairs.map(([one, old]) => [one, one === name ? value : old] as const);

/** Each parameter of the genuine notification is changed in all these ways, in every encoding; `next` is the parameter behind it. */
const OF_A_PARAMETER: Readonly<Record<string, (name: string, value: string, next: Pairs[number]) => Pairs[]>> = {
  'field changed': (name, value) =>
    [value.toUpperCase(), value.toLowerCase(), `${value}0`, `${value} `, ` ${value}`, `${value}\0`, value.slice(0, -1), '', '0'] // prettier-ignore
      .map((one) => withValue(name, one)),
  'field dropped': (name) => [without(name)],
  'field renamed': (name) =>
    [name.toLowerCase(), `${name}0`, `${name}[]`, ` ${name}`, `${name}\0`, '', `${name}\ufeff`].map((renamed) =>
      genuine.map(([one, value]) => [one === name ? renamed : one, value] as const),
    ),
  'values swapped': (name, value, next) => [withValue(next[0], value, withValue(name, next[1]))],
  'duplicate name': (name, value) =>
    [value, '', `${value}1`].flatMap((second): Pairs[] => [
      [...genuine, [name, second]],
      [[name, second], ...genuine],
    ]),
  'nested name': (name, value) =>
    [`${name}[]`, `${name}[0]`, `${name}[a]`, `${name}[__proto__]`].flatMap((nested): Pairs[] => [
      [...genuine, [nested, value]],
      [...without(name), [nested, value]],
    ]),
  'delimiter injection': (name, value, next) => [
    ...['&', '=', '%26', '%3D', '\r\n', '\0', ';', '","'].flatMap((glue): Pairs[] => [
      withValue(name, `${value}${glue}AMOUNT${glue === '","' ? '":"' : '='}1`),
      [...without(name), [`${name}${glue}X`, value]],
    ]),
    ...[...value.matchAll(/=/g)].map(({ index }): Pairs => {
      return [...without(name), [`${name}=${value.slice(0, index)}`, value.slice(index + 1)]];
    }),
    ...(name === 'HASH' || next[0] === 'HASH' ? [] : movedBorders(name, value, next)),
  ],
};

/** The signed text, a value and a key in turn, stays the same in the first two of each key. */
function movedBorders(name: string, value: string, next: Pairs[number]): Pairs[] {
  const [first, second] = [[name, value] as const, next].sort(([a], [b]) => (a < b ? -1 : 1)) as [
    Pairs[number],
    Pairs[number],
  ];
  const others = without(name, without(next[0]));
  return Object.values(KEYS).flatMap((key): Pairs[] => [
    [...others, [first[0], `${first[1]}${key}${second[0]}=${second[1]}`]],
    [...others, [`${first[0]}=${first[1]}${key}${second[0]}`, second[1]]],
    withValue(name, `${value}${key}`),
    withValue(name, `${value}${key}AMOUNT=1`),
  ]);
}

const INHERITED = ['__proto__', 'constructor', 'prototype', 'toString', '__proto__[AMOUNT]'];
const ofOtherShop = withValue('IDENTIFIER', 'Shop ES', notification(TARGET));
const many = (count: number): Pairs => Array.from({ length: count - genuine.length }, (_, at) => [`P${at}`, ''] as const); // prettier-ignore

/** Whole notifications, each sent in every encoding. */
const OF_A_NOTIFICATION: Readonly<Record<string, readonly Pairs[]>> = {
  'prototype name': [...INHERITED, 'constructor[prototype][AMOUNT]'].flatMap((name): Pairs[] => [
    [...genuine, [name, '1']],
    [[name, '{"AMOUNT":"1"}'], ...without('AMOUNT')],
  ]),
  '1,000 pairs': [101, 1_000].flatMap((count): Pairs[] => [
    [...genuine, ...many(count)],
    signed([...notification(TARGET), ...many(count)]),
  ]),
  'another HASH': [
    ...[hash.slice(0, 63), hash.slice(0, 1), 'null', hash.toUpperCase(), `${hash}0`, ` ${hash}`, `0x${hash}`]
      .concat('0'.repeat(64), hash + hash)
      .map((one) => withValue('HASH', one)),
    ...[KEYS.account, KEYS.redirect, KEYS.other, '', 'Shop FR'].map((key) => signed(notification(TARGET), key)),
    ...[KEYS.notification, KEYS.account].map((key) => signed(ofOtherShop, key)),
    withValue('IDENTIFIER', 'Shop ES'),
    withValue('HASH', hash, signed(notification(`${TARGET} 2`))),
  ],
};

/** Requests whose form is wrong: with a second body, compressed, in another charset, far too large. */
const OF_A_REQUEST: Readonly<Record<string, (encoding: Encoding) => Buffer[]>> = {
  'query and body'(encoding) {
    const whole = encoded(encoding, genuine);
    if (encoding !== 'query') return [requestOf(encoding, whole, { query: '?AMOUNT=1' })];
    const headers = 'content-type: application/x-www-form-urlencoded\r\ncontent-length: 8\r\n';
    return [Buffer.concat([requestOf('query', whole, { headers }), Buffer.from('AMOUNT=1')])];
  },
  '10 MB'(encoding) {
    const large = encoded(encoding, [...genuine, ['X', 'x'.repeat(TEN_MEGABYTES)]]);
    return Array<Buffer>(encoding === 'query' ? 1 : 3).fill(requestOf(encoding, large));
  },
  /** A body that is not compressed under a left-over header is read as it is, so it must be a forged one. */
  compressed(encoding) {
    const forged = encoded(encoding, withValue('AMOUNT', '1'));
    const headers = 'content-encoding: gzip\r\n';
    return encoding === 'query' ? [] : [gzipSync(forged), forged].map((body) => requestOf(encoding, body, { headers }));
  },
  'another charset'(encoding) {
    const whole = encoded(encoding, genuine);
    const inOthers = (['utf16le', 'latin1'] as const).map((charset) => Buffer.from(whole.toString('utf8'), charset));
    return encoding === 'query' ? [] : inOthers.filter((bytes) => !bytes.equals(whole)).map((bytes) => requestOf(encoding, bytes)); // prettier-ignore
  },
  /** A lenient reader decodes these bytes to the replacement character, which was signed. */
  'no UTF-8'(encoding) {
    const whole = encoded(encoding, genuine);
    const isEscaped = encoding === 'query' || encoding === 'urlencoded';
    const escapes = isEscaped ? ['%ff', '%C3', '%ED%A0%80', '%F5', '%C0%80'] : [];
    const sign = Buffer.from(isEscaped ? '%EF%BF%BD' : '\ufffd');
    const at = whole.indexOf(sign);
    const bytes = [...escapes.map((escape) => Buffer.from(escape)), ...(encoding === 'query' ? [] : [Buffer.of(0xff)])];
    return bytes
      .map((one) => Buffer.concat([whole.subarray(0, at), one, whole.subarray(at + sign.length)]))
      .map((one) => requestOf(encoding, one));
  },
};

const members = genuine.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
const withMembers = (...more: string[]) => `{${[...members, ...more].join(',')}}`;
const escaped = (name: string) => [...name].map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''); // prettier-ignore

/** JSON alone can write these. */
const OF_JSON: Readonly<Record<string, readonly string[]>> = {
  'duplicate name': genuine.map(([name]) => withMembers(`"${escaped(name)}":"1"`)),
  'prototype name': [withMembers('"__proto__":{"AMOUNT":"1"}')],
  'nested name': [withMembers('"CART":{"0":{"NAME":"x"}}', '"AMOUNT2":["1"]'), '[['.repeat(20_000) + ']]'.repeat(2)],
  'no text': ['30001', 'null', 'true', '["30000"]', '{"toString":"30000"}', '3e4', '"\\ud800"'].map((value) =>
    withMembers().replace('"AMOUNT":"30000"', `"AMOUNT":${value}`),
  ),
  'lone surrogate': [withMembers().replace('\ufffd', '\\ud800')],
};

/** Yields every forgery. A mutation that a lenient reader decodes to the same parameters is no forgery; it is reported to `onSame`. */
export function* forgeries(random: Random, onSame: (kind: string) => void): Generator<Forgery> {
  for (const encoding of ENCODINGS) {
    const bytes = encoded(encoding, genuine);
    for (let at = 0; at < bytes.length; at++)
      for (const mutant of byteMutants(bytes, at, random))
        if (areSame(decoded(encoding, mutant) ?? [], genuine)) onSame(`byte, ${encoding}`);
        else yield { kind: `byte, ${encoding}`, request: requestOf(encoding, mutant) };
    for (const [kind, pairs] of pairMutants())
      if (areSame(pairs, genuine)) onSame(kind);
      else yield { kind, request: requestOf(encoding, encoded(encoding, pairs)) };
    for (const [kind, write] of Object.entries(OF_A_REQUEST))
      for (const request of write(encoding)) yield { kind, request };
  }
  for (const [kind, texts] of Object.entries(OF_JSON))
    for (const text of texts) yield { kind, request: requestOf('json', Buffer.from(text)) };
}

function* pairMutants(): Generator<readonly [kind: string, pairs: Pairs]> {
  for (const [at, [name, value]] of genuine.entries())
    for (const [kind, change] of Object.entries(OF_A_PARAMETER))
      for (const pairs of change(name, value, genuine[(at + 1) % genuine.length]!)) yield [kind, pairs];
  for (const [kind, all] of Object.entries(OF_A_NOTIFICATION)) for (const pairs of all) yield [kind, pairs];
}

function byteMutants(bytes: Buffer, at: number, random: Random): Buffer[] {
  const old = bytes[at] ?? 0;
  const others = [old ^ 1, old ^ 0x20, random.below(256), random.pick([...BYTES_WITH_A_MEANING])];
  return [
    ...others.map((byte) => Buffer.concat([bytes.subarray(0, at), Buffer.of(byte), bytes.subarray(at + 1)])),
    Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]),
    Buffer.concat([bytes.subarray(0, at + 1), bytes.subarray(at)]),
    bytes.subarray(0, at),
  ];
}
