import { isUtf8 } from 'node:buffer';
import { isName, type Parameters } from '@tranche/platform';

export type { Parameters };

/** Why a request can't be a notification: nothing of it was looked at further. */
export interface Unreadable {
  unreadable: string;
}

export const MAX_PARAMETERS = 100;

/** Code units that are no characters. Written as UTF-8 they all become the same sign, and another text would have the same HASH. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** A percent sign that begins no byte; and what stands for bytes that are no UTF-8, unless it was sent as itself. */
const BROKEN_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
const REPLACEMENT = '\ufffd';

/** Query of a GET, or an urlencoded body, in UTF-8 whatever else it says. Names stay as they are: `A[B]` is a name, nothing is nested. */
export function parametersOfForm(bytes: Buffer): Parameters | Unreadable {
  const text = textOf(bytes);
  if (text === undefined) return { unreadable: 'it is not UTF-8' };
  // URLSearchParams takes one away.
  const isHidden = text.startsWith('?');
  const parameters = [...new URLSearchParams(isHidden ? `?${text}` : text)];
  const hasReplacement = parameters.some(([name, value]) => value.includes(REPLACEMENT) || name.includes(REPLACEMENT));
  if (BROKEN_ESCAPE.test(text) || (hasReplacement && !isEscapedUtf8(text)))
    return { unreadable: 'a percent sign does not begin a character in UTF-8' };
  return checked(parameters);
}

/** A flat JSON object of texts. JSON.parse would keep the last of two equal names in silence, so names are counted. */
export function parametersOfJson(bytes: Buffer): Parameters | Unreadable {
  const text = textOf(bytes);
  if (text === undefined) return { unreadable: 'it is not UTF-8' };
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

/** The bytes as UTF-8, a byte order mark included; undefined where they are none, for nothing may be replaced in silence. */
export function textOf(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

export function tooMany(): Unreadable {
  return { unreadable: `more than ${MAX_PARAMETERS} parameters` };
}

function isEscapedUtf8(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
