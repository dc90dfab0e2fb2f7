/** An HFTOKEN may be in the command that pays with it, a card number in the command that was refused for it. */
export type AllowedIn = 'its card command' | 'the command that was refused for it';

export interface Canary {
  readonly name: string;
  readonly forms: readonly Form[];
  readonly allowedIn?: AllowedIn;
  /** These digits are also found with separators between them. */
  readonly digits?: string;
}

/** Hex characters of a planted secret's 24 random bytes. */
const RANDOM_PART = 48;

/** Names that people give to card numbers, and texts that contain one. */
export const CARD_NAMES = [
  ...['CARDCODE', 'cardcode', 'CARD_NUMBER', 'cardNumber', 'card-no', 'ccnumber', 'cc', 'pan', 'PAN', 'FPAN', 'dpan'],
  ...['primaryAccountNumber', 'track2', 'creditcard', 'CARD', 'account', 'number', 'x', 'carte', 'numero_tarjeta'],
  ...['comment', 'NOTE', 'DESCRIPTION', 'MESSAGE', 'EXTRADATA', 'CLIENTEMAIL'],
];

/** Names that people give to a card's cryptogram, and texts that contain one. */
export const CVV_NAMES = [
  'CARDCVV',
  'cvc',
  'csc',
  'cvn',
  'securityCode',
  'CustomCVV2',
  'card[cvv]',
  'verification_value',
];
export const CVV_TEXTS = ['cvv is #', 'CVV code: #', 'csc #', 'security code #', '{"CARDCVV":"#"}', 'cvv%3D#'];

/** Searches only the random part of a secret: its prefix may be elsewhere. */
export const secretCanary = (name: string, value: string): Canary => ({
  name,
  forms: formsOfPieces(value.slice(-RANDOM_PART)),
});

export const bytesCanary = (name: string, bytes: Buffer): Canary => ({
  name,
  forms: [...formsOfPieces(bytes), ...formsOfPieces(bytes.toString('base64')), ...formsOfPieces(bytes.toString('hex'))],
});

export const cardCanary = (name: string, number: string, allowedIn?: AllowedIn): Canary => ({
  name,
  forms: formsOfCardNumber(number),
  digits: number,
  ...(allowedIn === undefined ? {} : { allowedIn }),
});

/** All JWTs begin alike, so only payload and signature are searched. */
export function accessTokenCanary(token: string): Canary {
  const [, payload = '', signature = ''] = token.split('.');
  return { name: 'access token', forms: [...formsOfPieces(payload), ...formsOfPieces(signature)] };
}

export const cardTokenCanary = (token: string): Canary => ({
  name: 'HFTOKEN',
  forms: [...formsOfPieces(token), ...formsOfPieces(token.replaceAll('-', ''))],
  allowedIn: 'its card command',
});

/** The answer to `GET /simulator/issued-tokens`. */
export interface IssuedTokens {
  readonly accessTokens: readonly string[];
  readonly cardTokens: readonly string[];
}

export const canariesOf = ({ accessTokens, cardTokens }: IssuedTokens): Canary[] => [
  ...accessTokens.map(accessTokenCanary),
  ...cardTokens.map(cardTokenCanary),
];

/**
 * These are searched by their shape: three digits are in every timestamp, and each process makes another private key. Base64 can contain
 * any short name and digits by chance, so digits that follow the name at once count only where the name begins a word.
 */
export const SHAPES: readonly { readonly name: string; readonly shape: RegExp }[] = [
  {
    name: 'CVV',
    shape:
      /(?:(?:cvv|cvc|cvn|cryptogram|security ?code|verification_value)[a-z]*2?(?:[^0-9a-z]{1,16}| is | code: )|(?<![0-9a-z])(?:cvv|cvc|cvn)2?)[0-9]{3,4}(?![0-9a-z])/gi,
  },
  { name: 'private key', shape: /BEGIN (?:[A-Z]+ )?PRIVATE KEY|"(?:dp|dq|qi)"\s*:\s*"/g },
];

interface Form {
  readonly form: string;
  readonly text: string;
}

/** Returns a secret raw and in every encoding that a log, a record or a store could give it. */
function formsOf(secret: string | Buffer): Form[] {
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
function formsOfPieces(secret: string | Buffer): Form[] {
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
function formsOfCardNumber(number: string): Form[] {
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
