import { readFileSync } from 'node:fs';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DAYS_OF_MONTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const TIMESTAMP =
  /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
export const TIMESTAMP_PATTERN = TIMESTAMP.source;

/** `YYYY-MM-DD` with a day that exists. */
export function isCalendarDate(text: string): boolean {
  if (!DATE.test(text)) return false;
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8))];
  if (month === 2 && day === 29) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day >= 1 && day <= (DAYS_OF_MONTHS[month - 1] ?? 0);
}

/** RFC 3339 with capital T and Z, and an offset. Leap seconds are refused, because JavaScript's Date has none. */
export function isTimestamp(text: string): boolean {
  return TIMESTAMP.test(text) && isCalendarDate(text.slice(0, 10));
}

const HIGH_SURROGATE = /[\ud800-\udbff][\udc00-\udfff]/g;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** The interface limits characters. We count Unicode code points, as JSON Schema does. */
export function codePoints(text: string): number {
  const pairs = text.match(HIGH_SURROGATE);
  return pairs === null ? text.length : text.length - pairs.length;
}

/** False for lone surrogates. They have no UTF-8 form, so two different texts could become the same bytes. */
export function isWellFormed(text: string): boolean {
  return !LONE_SURROGATE.test(text);
}

/**
 * Characters that nobody sees, and line breaks: controls, what Unicode calls ignorable (zero width, marks and changes of direction, fillers),
 * separators of lines, marks of annotations, halves of surrogate pairs and code points that are no characters. U+FE00 to U+FE0F and U+E0100 to
 * U+E01EF choose the form of the character before them, such as an emoji.
 */
const HIDDEN =
  /(?![\ufe00-\ufe0f\u{e0100}-\u{e01ef}])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\p{Noncharacter_Code_Point}]/gu;
/** Between two visible characters these two spell words of Persian and Indic scripts and join emoji. Words of Malayalam end with a mark and U+200D. */
const JOINS = /(?<=[^\s\u200c\u200d])[\u200c\u200d](?=[^\s\u200c\u200d])|(?<=\p{M})\u200d(?!\u200d)/uy;
const PRINTABLE_ASCII = /^[ -~]*$/;

interface Hidden {
  /** For people: joiners are allowed where people type. */
  mayJoin?: boolean;
  mayBreakLines?: boolean;
}

/** The first character of a text that nobody sees, as `U+200B at position 3`; positions are indexes of the text in JavaScript. */
export function hiddenCharacter(
  text: string,
  { mayJoin = false, mayBreakLines = false }: Hidden = {},
): string | undefined {
  if (PRINTABLE_ASCII.test(text)) return undefined;
  for (const { 0: character, index } of text.matchAll(HIDDEN)) {
    if (mayBreakLines && (character === '\n' || character === '\r')) continue;
    JOINS.lastIndex = index;
    if (mayJoin && JOINS.test(text)) continue;
    return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')} at position ${index}`;
  }
  return undefined;
}

/** True for a text in which nothing is visible. U+2800 is the empty pattern of Braille. */
export const isBlank = (text: string): boolean => /^[\s\u2800]*$/.test(text);

/** Marks and everything that may compose: texts below U+0300 are composed already. */
const MAY_COMPOSE = /[^\0-\u02ff]/;

/** Unicode's composed form (NFC), in which a letter with its accent is one character. */
export function composed(text: string): string {
  return MAY_COMPOSE.test(text) ? text.normalize('NFC') : text;
}

/** UTF-8 without the byte order mark in front, which editors and servers add. UTF-16 is read too, if its mark says so. */
export function withoutByteOrderMark(bytes: Buffer): Buffer {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return bytes.subarray(3);
  const utf16 = first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : '';
  return utf16 === '' ? bytes : Buffer.from(new TextDecoder(utf16).decode(bytes), 'utf8');
}

/**
 * Text of a file that people wrote: the byte order mark of their editor is no content.
 * @throws as `readFileSync`
 */
export function readTextFile(path: string): string {
  return withoutByteOrderMark(readFileSync(path)).toString('utf8');
}

/**
 * Skips a byte order mark (RFC 8259, section 8.1), which some servers send: an unreadable answer would leave the operation in doubt.
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  return JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
}
