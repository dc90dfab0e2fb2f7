import { gzipSync } from 'node:zlib';
import type { Random } from '../simulation/random.js';
import {
  areSame,
  decoded,
  encoded,
  ENCODINGS,
  KEYS,
  notification,
  requestOf,
  signed,
  TARGET,
  type Encoding,
  type Pairs,
} from './messages.js';

export interface Forgery {
  kind: string;
  request: Buffer;
}

/** Bytes with a meaning in one of the encodings. */
const TELLING = Buffer.from('&=%+#?;[]{}":,\\\0 \r\n\x80\xff', 'latin1');
const TEN_MEGABYTES = 10 * 1024 * 1024;

const genuine = signed(notification(TARGET));
const without = (name: string, pairs: Pairs = genuine) => pairs.filter(([one]) => one !== name);
const withValue = (name: string, value: string, pairs: Pairs = genuine): Pairs =>
  pairs.map(([one, old]) => [one, one === name ? value : old] as const);

/** Yields every forgery. A mutant that a lenient reader decodes to the same parameters is no forgery; it is reported to `onSame`. */
export function* forgeries(random: Random, onSame: (kind: string) => void): Generator<Forgery> {
  for (const encoding of ENCODINGS) {
    const bytes = encoded(encoding, genuine);
    for (let at = 0; at < bytes.length; at++) {
      for (const mutant of byteMutants(bytes, at, random)) {
        const read = decoded(encoding, mutant);
        if (read !== undefined && areSame(read, genuine)) onSame(`byte, ${encoding}`);
        else yield { kind: `byte, ${encoding}`, request: requestOf(encoding, mutant) };
      }
    }
    for (const { kind, pairs } of pairMutants()) {
      if (areSame(pairs, genuine)) onSame(kind);
      else yield { kind, request: requestOf(encoding, encoded(encoding, pairs)) };
    }
    yield* inOtherForms(encoding);
  }
  yield* inJsonOnly();
  yield* inEscapesOnly();
}

function* byteMutants(bytes: Buffer, at: number, random: Random): Generator<Buffer> {
  const replaced = (byte: number) => {
    const mutant = Buffer.from(bytes);
    mutant[at] = byte;
    return mutant;
  };
  const old = bytes[at] ?? 0;
  yield replaced(old ^ 1);
  yield replaced(old ^ 0x20);
  yield replaced(random.below(256));
  yield replaced(random.pick([...TELLING]));
  yield Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]);
  yield Buffer.concat([bytes.subarray(0, at + 1), bytes.subarray(at)]);
  yield bytes.subarray(0, at);
}

/** Changes, drops, adds, doubles and moves whole fields. */
function* pairMutants(): Generator<{ kind: string; pairs: Pairs }> {
  for (const [at, [name, value]] of genuine.entries()) {
    const other = genuine[(at + 1) % genuine.length]!;
    const inCases = [value.toUpperCase(), value.toLowerCase()];
    const changed = [`${value}0`, `${value} `, ` ${value}`, `${value}\0`, value.slice(0, -1), '', '0'];
    for (const one of [...inCases, ...changed]) yield { kind: 'field changed', pairs: withValue(name, one) };
    yield { kind: 'field dropped', pairs: without(name) };
    yield { kind: 'values swapped', pairs: withValue(other[0], value, withValue(name, other[1])) };
    for (const renamed of [name.toLowerCase(), `${name}0`, `${name}[]`, ` ${name}`, `${name}\0`, '', `${name}\ufeff`]) {
      yield { kind: 'field renamed', pairs: genuine.map(([one, old]) => [one === name ? renamed : one, old] as const) };
    }
    for (const second of [value, '', `${value}1`]) {
      yield { kind: 'duplicate name', pairs: [...genuine, [name, second]] };
      yield { kind: 'duplicate name', pairs: [[name, second], ...genuine] };
    }
    for (const nested of [`${name}[]`, `${name}[0]`, `${name}[a]`, `${name}[__proto__]`]) {
      yield { kind: 'nested name', pairs: [...genuine, [nested, value]] };
      yield { kind: 'nested name', pairs: [...without(name), [nested, value]] };
    }
    yield* delimiters(name, value, other);
  }
  const inherited = ['__proto__', 'constructor', 'prototype', 'toString', '__proto__[AMOUNT]'];
  for (const name of [...inherited, 'constructor[prototype][AMOUNT]']) {
    yield { kind: 'prototype name', pairs: [...genuine, [name, '1']] };
    yield { kind: 'prototype name', pairs: [[name, '{"AMOUNT":"1"}'], ...without('AMOUNT')] };
  }
  for (const count of [101, 1_000]) {
    const many: Pairs = Array.from({ length: count - genuine.length }, (_, i) => [`P${i}`, ''] as const);
    yield { kind: '1,000 pairs', pairs: [...genuine, ...many] };
    yield { kind: '1,000 pairs', pairs: signed([...notification(TARGET), ...many]) };
  }
  yield* hashes();
}

/** Moves the border between names and values, so that the signed text of the first two stays the same. */
function* delimiters(name: string, value: string, other: Pairs[number]): Generator<{ kind: string; pairs: Pairs }> {
  const kind = 'delimiter injection';
  for (let at = value.indexOf('='); at >= 0; at = value.indexOf('=', at + 1)) {
    yield { kind, pairs: [...without(name), [`${name}=${value.slice(0, at)}`, value.slice(at + 1)]] };
  }
  if (name !== 'HASH' && other[0] !== 'HASH') {
    for (const key of Object.values(KEYS)) {
      const rest = without(name, without(other[0]));
      const [first, second] = [[name, value] as const, other].sort(([a], [b]) => (a < b ? -1 : 1)) as [
        Pairs[number],
        Pairs[number],
      ];
      yield { kind, pairs: [...rest, [first[0], `${first[1]}${key}${second[0]}=${second[1]}`]] };
      yield { kind, pairs: [...rest, [`${first[0]}=${first[1]}${key}${second[0]}`, second[1]]] };
      yield { kind, pairs: withValue(name, `${value}${key}`) };
      yield { kind, pairs: withValue(name, `${value}${key}AMOUNT=1`) };
    }
  }
  for (const glue of ['&', '=', '%26', '%3D', '\r\n', '\0', ';', '","']) {
    yield { kind, pairs: withValue(name, `${value}${glue}AMOUNT${glue === '","' ? '":"' : '='}1`) };
    yield { kind, pairs: [...without(name), [`${name}${glue}X`, value]] };
  }
}

function* hashes(): Generator<{ kind: string; pairs: Pairs }> {
  const kind = 'another HASH';
  const hash = genuine.find(([name]) => name === 'HASH')![1];
  const shorter = [hash.slice(0, 63), hash.slice(0, 1), 'null'];
  for (const one of [...shorter, hash.toUpperCase(), `${hash}0`, ` ${hash}`, `0x${hash}`, '0'.repeat(64), hash + hash])
    yield { kind, pairs: withValue('HASH', one) };
  for (const key of [KEYS.account, KEYS.redirect, KEYS.other, '', 'Shop FR'])
    yield { kind, pairs: signed(notification(TARGET), key) };
  const ofOther = withValue('IDENTIFIER', 'Shop ES', notification(TARGET));
  for (const key of [KEYS.notification, KEYS.account]) yield { kind, pairs: signed(ofOther, key) };
  yield { kind, pairs: withValue('IDENTIFIER', 'Shop ES') };
  yield { kind, pairs: withValue('HASH', hash, signed(notification(`${TARGET} 2`))) };
}

/** The message is complete, but its form is wrong: it has a second body, is compressed, or is far too large. */
function* inOtherForms(encoding: Encoding): Generator<Forgery> {
  const forged = encoded(encoding, withValue('AMOUNT', '1'));
  const whole = encoded(encoding, genuine);
  if (encoding === 'query') {
    const body = encoded('urlencoded', [['AMOUNT', '1']]).toString();
    const headers = `content-type: application/x-www-form-urlencoded\r\ncontent-length: ${body.length}\r\n`;
    const request = requestOf('query', whole, { headers });
    yield { kind: 'query and body', request: Buffer.concat([request, Buffer.from(body)]) };
    const large = Buffer.concat([whole, Buffer.from('&X='), Buffer.alloc(TEN_MEGABYTES, 'x')]);
    yield { kind: '10 MB', request: requestOf('query', large) };
    return;
  }
  yield { kind: 'query and body', request: requestOf(encoding, whole, { query: '?AMOUNT=1' }) };
  // A body that is not compressed under a left-over header is read as it is, so it must be a forged one.
  for (const body of [gzipSync(forged), forged])
    yield { kind: 'compressed', request: requestOf(encoding, body, { headers: 'content-encoding: gzip\r\n' }) };
  yield { kind: 'another charset', request: requestOf(encoding, Buffer.from(whole.toString('utf8'), 'utf16le')) };
  const latin1 = Buffer.from(whole.toString('utf8'), 'latin1');
  if (!latin1.equals(whole)) yield { kind: 'another charset', request: requestOf(encoding, latin1) };
  const large = [...genuine, ['X', 'x'.repeat(TEN_MEGABYTES)] as const];
  for (let n = 0; n < 3; n++) yield { kind: '10 MB', request: requestOf(encoding, encoded(encoding, large)) };
}

function* inJsonOnly(): Generator<Forgery> {
  const members = genuine.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  const json = (kind: string, ...more: string[]) => ({
    kind,
    request: requestOf('json', Buffer.from(`{${[...members, ...more].join(',')}}`)),
  });
  for (const [name] of genuine) {
    const escaped = [...name].map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
    yield json('duplicate name', `"${escaped}":"1"`);
  }
  yield json('prototype name', '"__proto__":{"AMOUNT":"1"}');
  yield json('nested name', '"CART":{"0":{"NAME":"x"}}', '"AMOUNT2":["1"]');
  for (const value of ['30001', 'null', 'true', '["30000"]', '{"toString":"30000"}', '3e4', '"\\ud800"']) {
    const mixed = members.map((one) => (one.startsWith('"AMOUNT"') ? `"AMOUNT":${value}` : one));
    yield { kind: 'no text', request: requestOf('json', Buffer.from(`{${mixed.join(',')}}`)) };
  }
  const surrogate = members.map((one) => one.replace('\ufffd', '\\ud800'));
  yield { kind: 'lone surrogate', request: requestOf('json', Buffer.from(`{${surrogate.join(',')}}`)) };
  yield { kind: 'nested name', request: requestOf('json', Buffer.from('[['.repeat(20_000) + ']]'.repeat(2))) };
}

/** A lenient reader decodes these bytes to the replacement character, which was signed. */
function* inEscapesOnly(): Generator<Forgery> {
  const text = encoded('urlencoded', genuine).toString();
  for (const escape of ['%ff', '%C3', '%ED%A0%80', '%F5', '%C0%80']) {
    const bytes = Buffer.from(text.replace('%EF%BF%BD', escape));
    for (const encoding of ['query', 'urlencoded'] as const)
      yield { kind: 'no UTF-8', request: requestOf(encoding, bytes) };
  }
  for (const encoding of ['urlencoded', 'multipart', 'json'] as const) {
    const whole = encoded(encoding, genuine);
    const source = encoding === 'urlencoded' ? Buffer.from(text.replace('%EF%BF%BD', '\ufffd')) : whole;
    const at = source.indexOf(Buffer.from('\ufffd'));
    const bytes = Buffer.concat([source.subarray(0, at), Buffer.from([0xff]), source.subarray(at + 3)]);
    yield { kind: 'no UTF-8', request: requestOf(encoding, bytes) };
  }
}
