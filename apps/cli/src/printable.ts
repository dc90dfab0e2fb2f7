// Ids, keys, reasons and headers are anybody's text: an escape sequence in one could rewrite the terminal, and a mark of direction could make
// one id look like another. Unpaired surrogates are among \p{C}.
const UNSEEN = /[\p{C}\u2028\u2029]/gu;
const UNSEEN_BUT_LINE_BREAKS = /(?!\n)[\p{C}\u2028\u2029]/gu;

const escaped = (sign: string): string =>
  sign
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

/** Shows every character that nobody sees as its escape, but line breaks. */
export const printable = (text: string): string => text.replace(UNSEEN_BUT_LINE_BREAKS, escaped);

/** The same of a value that stands within a line. */
export const printableInLine = (text: string): string => text.replace(UNSEEN, escaped);

/** JSON for programs: offsets are texts, because they may exceed what a JSON number holds exactly. */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one), indent).replace(
    UNSEEN_BUT_LINE_BREAKS,
    escaped,
  );

/** A word of a line that is typed into a shell: quoted where the shell would read it otherwise. */
export const shellWord = (text: string): string =>
  /^[\w.,:@%+=/-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** True for a text that can be typed as it is shown. */
export const canBeTyped = (text: string): boolean => printableInLine(text) === text;
