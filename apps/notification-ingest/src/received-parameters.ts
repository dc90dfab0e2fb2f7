import { isUtf8 } from 'node:buffer';
import { isName, type Parameters } from '@tranche/platform';
import { parameterOf } from './sent-text.js';

export type { Parameters };

/** Why a request can't be a notification: nothing of it was looked at further. */
export interface Unreadable {
  unreadable: string;
}

export const MAX_PARAMETERS = 100;

/** Code units that are no characters. Written as UTF-8 they all become the same sign, and another text would have the same HASH. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Query of a GET, or an urlencoded body, by its bytes. Names stay as they are: `A[B]` is a name, nothing is nested. A percent sign that
 * begins no byte is itself, as in every browser.
 */
export function parametersOfForm(bytes: Buffer, charset?: string): Parameters | Unreadable {
  const pairs = bytes
    .toString('latin1')
    .split('&')
    .filter((pair) => pair !== '');
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

/** A flat JSON object of texts, in UTF-8 as JSON always is. JSON.parse would keep the last of two equal names in silence, so names are counted. */
export function parametersOfJson(bytes: Buffer): Parameters | Unreadable {
  if (!isUtf8(bytes)) return { unreadable: 'it is not UTF-8' };
  // A byte order mark in front says nothing in UTF-8.
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { unreadable: 'the body is not JSON' };
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    return { unreadable: 'the body must be a JSON object' };
  const entries = Object.entries(parsed);
  if (!entries.every((entry): entry is [string, string] => typeof entry[1] === 'string'))
    return { unreadable: 'every value must be a text' };
  if (entries.some(([, value]) => LONE_SURROGATE.test(value))) return { unreadable: 'a value is not Unicode text' };
  const members = (text.match(/"(?:[^"\\]|\\.)*"|:/g) ?? []).filter((token) => token === ':').length;
  return members === entries.length ? checked(entries) : { unreadable: 'a parameter came twice' };
}

/** Flat, each name once and a name, and no more of them than a notification ever has. */
export function checked(parameters: Parameters): Parameters | Unreadable {
  if (parameters.length === 0) return { unreadable: 'no parameters were sent' };
  if (parameters.length > MAX_PARAMETERS) return tooMany();
  if (!parameters.every(([name]) => isName(name))) return { unreadable: 'a name cannot be one' };
  if (new Set(parameters.map(([name]) => name)).size < parameters.length)
    return { unreadable: 'a parameter came twice' };
  return parameters;
}

export function tooMany(): Unreadable {
  return { unreadable: `more than ${MAX_PARAMETERS} parameters` };
}

const ESCAPED = /[+%]/;
const [PLUS, PERCENT, SPACE] = Buffer.from('+% ') as unknown as [number, number, number];

/** One character for each byte, before and after. */
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

/** -1 for what is no hexadecimal digit. */
function digitOf(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
