import { types } from 'node:util';
import { isCardFieldName, isCryptogramName, PERSONAL_FIELDS, withoutHiddenCardData } from '@tranche/contracts';
import { REDACTED, Secret } from './secret.js';

/** Prefixes of names for a part of a command, including the platform's parameters: `SHIPTOFIRSTNAME`. */
const PREFIXES = { client: ['client'], billing: ['billing'], shipping: ['shipping', 'shipto'] } as const;
/** Personal fields that identify nobody by themselves. */
const HARMLESS_ALONE = new Set(['id', 'title', 'country']);
const PERSONAL = (['client', 'billing', 'shipping'] as const).flatMap((part) => [
  part,
  ...[...PERSONAL_FIELDS[part]]
    .map((field) => field.toLowerCase())
    .flatMap((field) => [
      ...(HARMLESS_ALONE.has(field) ? [] : [field]),
      ...PREFIXES[part].map((prefix) => prefix + field),
    ]),
]);

/**
 * Field names that must not be logged, in addition to card data. Names are compared without case, `_` and `-`, so that `clientSecret`,
 * `client_secret` and `CLIENT-SECRET` are equal.
 */
const NAMES = new Set([
  ...PERSONAL,
  ...[
    'authorization proxyauthorization cookie setcookie hash key keys encrypteddata redirecthtml dsn',
    'username clientident clientdob dateofbirth expirydate street shipto customer cardholder',
  ].flatMap((line) => line.split(' ')),
]);
const ENDINGS = [
  'token',
  'secret',
  'password',
  'passphrase',
  'credentials',
  'key',
  'keys',
  'email',
  'phone',
  'firstname',
  'lastname',
  'fullname',
];
/** Names that look sensitive but are not. The key of a Kafka record is logged as `orderKey` or `recordKey`. */
const HARMLESS = new Set(['orderkey', 'recordkey', 'merchantkey', 'clientid']);

const MAX_DEPTH = 8;
const MAX_ITEMS = 50;
// Each pattern starts at a word boundary, so that the time is linear in the length of the text.
const BEARER = /\bBearer\s+[\w~+/.=-]+/g;
const DOTTED_WORD = /(?<![\w.-])[\w.-]+/g;
/** Matches up to the last `@` before the path, because a password may contain one. */
const CREDENTIALS_IN_URL = /\b(\w+:\/\/)[^\s/]+@/g;
/** `{"` in base64url: every JWT begins with it. */
const JWT_START = 'eyJ';

export function isSensitiveName(name: string): boolean {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  if (HARMLESS.has(plain)) return false;
  if (NAMES.has(plain) || isCardFieldName(name) || isCryptogramName(name)) return true;
  return ENDINGS.some((ending) => plain.endsWith(ending));
}

export function redactText(text: string): string {
  const withoutBearer = text.replace(BEARER, REDACTED);
  const withoutJwts = withoutBearer.includes(JWT_START)
    ? withoutBearer.replace(DOTTED_WORD, withoutJwt)
    : withoutBearer;
  return withoutHiddenCardData(withoutJwts.replace(CREDENTIALS_IN_URL, `$1${REDACTED}@`));
}

/** A JWT has three parts, separated by dots (RFC 7519); the first two identify one. */
function withoutJwt(word: string): string {
  const parts = word.split('.');
  const header = parts.findIndex((part, index) => {
    const start = part.indexOf(JWT_START);
    return start >= 0 && part.length - start >= 8 && (parts[index + 1]?.length ?? 0) >= 5;
  });
  if (header < 0) return word;
  const before = parts[header]?.slice(0, parts[header].indexOf(JWT_START)) ?? '';
  return [...parts.slice(0, header), before + REDACTED, ...parts.slice(header + 3)].join('.');
}

/** Returns a copy that is safe to log: secrets and bytes are replaced, errors become plain objects, depth and length are bounded. */
export function redact(fields: object): Record<string, unknown> {
  return redactObject(fields, 0, []);
}

function redactObject(fields: object, depth: number, parents: readonly object[]): Record<string, unknown> {
  const safe: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    const isEmpty = value === undefined || value === null;
    safe[redactText(name)] =
      !isEmpty && isSensitiveName(name) ? REDACTED : redactValue(value, depth + 1, [...parents, fields]);
  }
  return safe;
}

function redactValue(value: unknown, depth: number, parents: readonly object[]): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return withoutHiddenCardData(value.toString());
  if (typeof value === 'number') return isCardNumber(value) ? REDACTED : value;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Secret) return REDACTED;
  if (types.isNativeError(value) || value instanceof Error) return plainError(value, depth, parents);
  if (value instanceof Date || value instanceof URL)
    return redactText(String(value instanceof Date ? value.toJSON() : value));
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth > MAX_DEPTH || parents.includes(value)) return '[…]';
  if (value instanceof Map) return redactObject(Object.fromEntries(value) as object, depth, parents);
  if (value instanceof Set) return redactValue([...value], depth, parents);
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ITEMS).map((item) => redactValue(item, depth + 1, [...parents, value]));
    return value.length > MAX_ITEMS ? [...items, `[${value.length - MAX_ITEMS} more]`] : items;
  }
  return redactObject(value, depth, parents);
}

function isCardNumber(value: number): boolean {
  const text = String(value);
  return Number.isInteger(value) && withoutHiddenCardData(text) !== text;
}

function plainError(error: Error, depth: number, parents: readonly object[]): Record<string, unknown> {
  const { code } = error as NodeJS.ErrnoException;
  const cause =
    error.cause !== undefined && depth <= MAX_DEPTH
      ? { cause: redactValue(error.cause, depth + 1, [...parents, error]) }
      : {};
  return {
    type: error.name,
    message: redactText(error.message),
    ...(code === undefined ? {} : { code }),
    ...(error.stack === undefined ? {} : { stack: redactText(error.stack) }),
    ...cause,
  };
}
