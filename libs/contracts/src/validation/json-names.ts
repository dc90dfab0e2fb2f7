import { joinPath } from '../error-codes.js';
import { shownName } from './card-data.js';
import { parseJson } from './texts.js';

/** A name that a JSON object has twice. */
export interface RepeatedName {
  /** For example `cart[0].price`. */
  path: string;
  /** Says the name and the position of its repetition. */
  message: string;
}

/** Further ones are not listed. */
const LISTED_MAX = 20;

/**
 * Parses JSON and finds the names that an object has twice: readers take the first or the last of them, so a check of one value would let
 * the other pass. JSON.parse takes the last, also where one is written with escapes.
 * @throws SyntaxError
 */
export function parseJsonWithNames(text: string): { json: unknown; repeated: RepeatedName[] } {
  const json = parseJson(text);
  // JSON.parse keeps one member of each name, so there are fewer members than colons where a name is repeated.
  return { json, repeated: membersOf(json) === colonsIn(text) ? [] : repeatedNames(text) };
}

/** Number of members of all objects in it. */
function membersOf(json: unknown): number {
  let members = 0;
  const open = [json];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const inside = Object.values(value) as unknown[];
    if (!Array.isArray(value)) members += inside.length;
    for (const one of inside) if (typeof one === 'object' && one !== null) open.push(one);
  }
  return members;
}

/** Number of colons outside of texts: each is behind a name. */
function colonsIn(json: string): number {
  let colons = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfText(json, at);
    else if (code === COLON) colons++;
  }
  return colons;
}

const NUMBER = /-?\d[\d.eE+-]*/y;

/** Returns the JSON with each number as a text, as it was written: JSON.parse rounds a number of 17 digits. Takes text that JSON.parse accepts. */
export function withNumbersAsTexts(json: string): string {
  let read = '';
  let from = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfText(json, at);
    if (code !== MINUS && (code < ZERO || code > NINE)) continue;
    NUMBER.lastIndex = at;
    const number = NUMBER.exec(json)?.[0];
    if (number === undefined) continue;
    read += `${json.slice(from, at)}"${number}"`;
    from = at + number.length;
    at = from - 1;
  }
  return read + json.slice(from);
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [MINUS, ZERO, NINE] = [0x2d, 0x30, 0x39];
const [OBJECT, END_OF_OBJECT, LIST, END_OF_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

/** An object or list around the current place. */
interface Around {
  /** The names of an object so far. */
  readonly names?: Set<string>;
  /** Name of the current member, or index of the current item. */
  at: string | number;
}

/** Takes text that JSON.parse accepts. It reads each character once, and keeps the open objects in a list: depth costs no stack. */
function repeatedNames(json: string): RepeatedName[] {
  const found: RepeatedName[] = [];
  const outer: Around[] = [];
  let inner: Around = { at: 0 };
  let expectsName = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfText(json, at);
      if (expectsName) {
        const raw = json.slice(at + 1, end);
        const name = raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
        inner.at = name;
        if (inner.names?.has(name) && found.length < LISTED_MAX) found.push(repeatedAt([...outer, inner], at));
        inner.names?.add(name);
        expectsName = false;
      }
      at = end;
    } else if (code === OBJECT || code === LIST) {
      outer.push(inner);
      inner = code === OBJECT ? { names: new Set(), at: '' } : { at: 0 };
      expectsName = code === OBJECT;
    } else if (code === END_OF_OBJECT || code === END_OF_LIST) {
      inner = outer.pop() ?? inner;
      expectsName = false;
    } else if (code === COMMA) {
      if (typeof inner.at === 'number') inner.at++;
      else expectsName = true;
    }
  }
  return found;
}

/** Index of the quote that ends the text which begins at `from`. */
function endOfText(json: string, from: number): number {
  let end = json.indexOf('"', from + 1);
  for (;;) {
    let before = end;
    while (json.charCodeAt(before - 1) === BACKSLASH) before--;
    if ((end - before) % 2 === 0) return end;
    end = json.indexOf('"', end + 1);
  }
}

/** The first entry stands for the whole text. A path names at most this many levels, because a deep one could be very long. */
const LEVELS_SHOWN = 32;

function repeatedAt(places: readonly Around[], position: number): RepeatedName {
  const steps = places.slice(1, LEVELS_SHOWN + 1);
  const path = steps.reduce(
    (before, { at }) => joinPath(before, typeof at === 'number' ? `[${at}]` : shownName(at)),
    '',
  );
  const name = shownName(String(places.at(-1)?.at));
  return { path, message: `is there twice: the name ${name} comes again at character ${position + 1} of the JSON` };
}
