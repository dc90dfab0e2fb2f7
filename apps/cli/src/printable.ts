// Ids, keys and headers of records are anybody's text: an escape sequence in one could rewrite the terminal.
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g;

/** Replaces control characters but line breaks. */
export const printable = (text: string): string => text.replace(CONTROL, '?');

/** JSON for programs: offsets are texts, because they may exceed what a JSON number holds exactly. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one));
