export interface Form {
  readonly form: string;
  readonly text: string;
}

/** Returns a secret raw and in every encoding that a log, a record or a store could give it. */
export function formsOf(secret: string | Buffer): Form[] {
  const bytes = Buffer.from(secret as string);
  const text = bytes.toString('latin1');
  const percent = (shape: (code: string) => string) =>
    [...bytes].map((byte) => `%${shape(byte.toString(16).padStart(2, '0'))}`).join('');
  return distinct([
    { form: 'plain', text },
    { form: 'JSON-escaped', text: JSON.stringify(text).slice(1, -1) },
    { form: 'JSON in JSON', text: JSON.stringify(JSON.stringify(text).slice(1, -1)).slice(1, -1) },
    { form: 'URL-encoded', text: encodeURIComponent(text) },
    { form: 'URL-encoded', text: encodeURIComponent(text).replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()) },
    { form: 'percent', text: percent((code) => code) },
    { form: 'percent', text: percent((code) => code.toUpperCase()) },
    { form: 'hex', text: bytes.toString('hex') },
    { form: 'hex', text: bytes.toString('hex').toUpperCase() },
    { form: 'reversed', text: [...text].reverse().join('') },
    ...[',', ', ', ' ', '\n'].map((between) => ({ form: 'bytes in decimal', text: [...bytes].join(between) })),
    ...[' ', ',', ', '].map((between) => ({ form: 'bytes in hex', text: [...bytes].map(hexOf).join(between) })),
    ...['\\u00', '\\\\u00', '\\x'].flatMap((sign) => [
      { form: 'escaped', text: [...bytes].map((byte) => sign + hexOf(byte)).join('') },
      { form: 'escaped', text: [...bytes].map((byte) => sign + hexOf(byte).toUpperCase()).join('') },
    ]),
    ...[0, 1, 2].flatMap((shift) => base64At(bytes, shift)),
  ]);
}

const hexOf = (byte: number): string => byte.toString(16).padStart(2, '0');

/** Long enough not to occur by chance, short enough to find a truncated secret. */
const PIECE = 14;

/** Also finds a secret of which only the beginning, the middle or the end is left. */
export function formsOfPieces(secret: string | Buffer): Form[] {
  const bytes = Buffer.from(secret as string);
  if (bytes.length < 2 * PIECE) return formsOf(bytes);
  const middle = Math.floor((bytes.length - PIECE) / 2);
  const begins = [0, ...(bytes.length < 3 * PIECE ? [] : [middle]), bytes.length - PIECE];
  const pieces = begins.flatMap((begin) => formsOf(bytes.subarray(begin, begin + PIECE)));
  return distinct([...formsOf(bytes), ...pieces.map(({ form, text }) => ({ form: `a piece, ${form}`, text }))]);
}

const GROUP = 4;
/** A truncated card number with this many digits still reveals too much. */
const TELLING_DIGITS = 12;

/** Adds a card number in groups, with the groups reversed, and most of its digits. `search.ts` finds digits with other separators. */
export function formsOfCardNumber(number: string): Form[] {
  const groups = number.match(new RegExp(`.{1,${GROUP}}`, 'g')) ?? [];
  return distinct([
    ...formsOf(number),
    ...[' ', '-', '.', '%20', '+', '_'].map((between) => ({ form: 'in groups', text: groups.join(between) })),
    ...[' ', '-', ''].map((between) => ({ form: 'groups reversed', text: groups.toReversed().join(between) })),
    { form: 'its beginning', text: number.slice(0, TELLING_DIGITS) },
    { form: 'its end', text: number.slice(-TELLING_DIGITS) },
  ]);
}

/** Returns the base64 characters that do not depend on the bytes around, for a secret that begins `shift` bytes into a group of three. */
function base64At(bytes: Buffer, shift: number): Form[] {
  const first = shift === 0 ? 0 : shift + 1;
  const end = Math.floor(((shift + bytes.length) * 8) / 6);
  const text = Buffer.concat([Buffer.alloc(shift), bytes])
    .toString('base64')
    .slice(first, end);
  const url = text.replaceAll('+', '-').replaceAll('/', '_');
  return [
    { form: 'base64', text },
    { form: 'base64url', text: url },
    // Queries and forms percent-encode the signs of base64.
    { form: 'base64', text: encodeURIComponent(text) },
  ];
}

/** Keeps the first form of each text. Short texts are dropped: they would be found everywhere. */
function distinct(forms: readonly Form[]): Form[] {
  const byText = new Map<string, Form>();
  for (const form of forms)
    if (form.text.length >= TELLING_DIGITS && !byText.has(form.text)) byText.set(form.text, form);
  return [...byText.values()];
}
