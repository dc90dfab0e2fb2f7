import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { isPlainObject, parseJsonWithNames, withNumbersAsTexts, type Merchant } from '@tranche/contracts';
import { isName, isSignedBy, parameterOf, valueOf, type Parameter, type Parameters } from '@tranche/platform';

export type { Parameters };

/** Reason why a request cannot be a notification. Nothing else of it was examined. */
export interface Unreadable {
  unreadable: string;
}

export const MAX_PARAMETERS = 100;

/** Lone surrogates. UTF-8 writes all of them as U+FFFD, so two different texts would have the same HASH. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Names are not nested: `A[B]` is one name. A percent sign without two hexadecimal digits stands for itself, as in browsers. */
export function parametersOfForm(bytes: Buffer, charset?: string): Parameters | Unreadable {
  const text = withoutLastBreak(bytes.toString('latin1'));
  const pairs = text.split(separatorOf(text)).filter((pair) => pair !== '');
  if (pairs.length > MAX_PARAMETERS) return tooMany();
  return checked(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      return at < 0
        ? parameterOf(unescaped(pair), '', charset)
        : parameterOf(unescaped(pair.slice(0, at)), unescaped(pair.slice(at + 1)), charset);
    }),
  );
}

/** Some clients end the body as a line: a line break that is content is escaped. */
function withoutLastBreak(text: string): string {
  return text.endsWith('\n') ? text.replace(/\r?\n$/, '') : text;
}

/** `&amp;` where every ampersand is followed by it, as in HTML; `;` where there is no ampersand: one pair alone has no HASH. */
function separatorOf(text: string): string {
  if (!text.includes('&')) return ';';
  return /&(?!amp;)/.test(text) ? '&' : '&amp;';
}

/** Reads a flat object, numbers as they were written. Of bytes that are not UTF-8, each is one character until the charset decodes them. */
export function parametersOfJson(bytes: Buffer, charset?: string): Parameters | Unreadable {
  const isText = isUtf8(bytes);
  const text = bytes.toString(isText ? 'utf8' : 'latin1');
  let repeated: unknown[];
  let values: unknown;
  try {
    ({ repeated } = parseJsonWithNames(text));
    values = JSON.parse(withNumbersAsTexts(text));
  } catch {
    return { unreadable: 'the body is not JSON' };
  }
  if (!isPlainObject(values)) return { unreadable: 'the body must be a JSON object' };
  const pairs = Object.entries(values);
  if (!pairs.every((pair): pair is [string, string] => typeof pair[1] === 'string')) return NOT_FLAT;
  if (repeated.length > 0) return { unreadable: 'a parameter came twice' };
  if (pairs.some(([, value]) => LONE_SURROGATE.test(value))) return { unreadable: 'a value is not Unicode text' };
  if (isText) return checked(pairs);
  if (pairs.flat().some((sent) => NOT_A_BYTE.test(sent)))
    return { unreadable: 'it is not UTF-8, and has escapes beyond its charset' };
  return checked(pairs.map(([name, value]) => parameterOf(name, value, charset)));
}

const NOT_A_BYTE = /[^\0-\xff]/;
const NOT_FLAT: Unreadable = { unreadable: 'every value must be a text or a number' };

/** Refuses empty, too long, ambiguous or malformed lists: every name must be valid and occur once. */
export function checked(parameters: Parameters): Parameters | Unreadable {
  if (parameters.length === 0) return { unreadable: 'no parameters were sent' };
  if (parameters.length > MAX_PARAMETERS) return tooMany();
  if (!parameters.every(([name]) => isName(name))) return { unreadable: 'a name cannot be one' };
  if (new Set(parameters.map(([name]) => name)).size < parameters.length)
    return { unreadable: 'a parameter came twice' };
  return parameters;
}

/** Some clients send the `#fragment` of a URL. It is left out if HASH fits without it; else the `#` may belong to a value. */
export function asSigned(
  merchants: { byIdentifier(identifier: string): Merchant | undefined },
  parameters: Parameters,
): Parameters {
  const at = parameters.findLastIndex(([, value]) => value.includes('#'));
  if (at < 0) return parameters;
  const cut = [...parameters.slice(0, at), withoutFragment(parameters[at]!)];
  const merchant = merchants.byIdentifier(valueOf(cut, 'IDENTIFIER') ?? '');
  return merchant !== undefined && isSignedBy(merchant, cut) ? cut : parameters;
}

function withoutFragment([name, value, sent]: Parameter): Parameter {
  const cut = (text: string) => text.slice(0, text.lastIndexOf('#'));
  return sent === undefined ? [name, cut(value)] : parameterOf(sent.name, cut(sent.value), sent.charset);
}

/** The event's id: the same for a repeat in another order, by GET or POST, or signed with another key, so that consumers recognise it. */
export function contentHash(parameters: Parameters): string {
  const content = parameters
    .filter(([name]) => name !== 'HASH')
    // We hash the signed bytes. The charset that the sender names is not signed, so it must not change the id.
    .map(([name, value, sent]) => (sent === undefined ? ([name, value] as const) : ([sent.name, sent.value] as const)))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(content), 'utf8').digest('hex');
}

export function tooMany(): Unreadable {
  return { unreadable: `more than ${MAX_PARAMETERS} parameters` };
}

const ESCAPED = /[+%]/;
const [PLUS, PERCENT, SPACE] = Buffer.from('+% ') as unknown as [number, number, number];

/** Takes and returns one character per byte. */
function unescaped(text: string): string {
  if (!ESCAPED.test(text)) return text;
  const bytes = Buffer.from(text, 'latin1');
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    let byte = bytes[at]!;
    if (byte === PLUS) byte = SPACE;
    else if (byte === PERCENT) {
      const [high, low] = [digitOf(bytes[at + 1]), digitOf(bytes[at + 2])];
      if (high >= 0 && low >= 0) {
        byte = high * 16 + low;
        at += 2;
      }
    }
    bytes[length++] = byte;
  }
  return bytes.toString('latin1', 0, length);
}

/** Returns -1 if the byte is not a hexadecimal digit. */
function digitOf(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
