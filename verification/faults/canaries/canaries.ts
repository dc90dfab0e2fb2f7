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
  forms: formsOfPieces(bytes, bytes.toString('base64'), bytes.toString('hex')),
});

export const cardCanary = (name: string, number: string, allowedIn?: AllowedIn): Canary => ({
  ...{ name, forms: formsOfCardNumber(number), digits: number },
  ...(allowedIn && { allowedIn }),
});

/** All JWTs begin alike, so only payload and signature are searched. */
export const accessTokenCanary = (token: string): Canary => ({
  name: 'access token',
  forms: formsOfPieces(...token.split('.').slice(1)),
});

export const cardTokenCanary = (token: string): Canary => ({
  name: 'HFTOKEN',
  forms: formsOfPieces(token, token.replaceAll('-', '')),
  allowedIn: 'its card command',
});

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
  const codes = [...bytes].map((byte) => byte.toString(16).padStart(2, '0'));
  const capitals = codes.map((code) => code.toUpperCase());
  const inJson = (one: string) => JSON.stringify(one).slice(1, -1);
  const inUrl = encodeURIComponent(text);
  const escaped = (sign: string) => [codes, capitals].map((all) => all.map((code) => sign + code).join(''));
  return distinct({
    plain: [text],
    'JSON-escaped': [inJson(text)],
    'JSON in JSON': [inJson(inJson(text))],
    'URL-encoded': [inUrl, inUrl.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())],
    hex: escaped(''),
    escaped: ['%', '\\u00', '\\\\u00', '\\x'].flatMap(escaped),
    reversed: [[...text].reverse().join('')],
    'bytes in decimal': [',', ', ', ' ', '\n'].map((between) => [...bytes].join(between)),
    'bytes in hex': [' ', ',', ', '].map((between) => codes.join(between)),
    base64: [0, 1, 2].flatMap((shift) => base64At(bytes, shift)),
  });
}

/** Long enough not to occur by chance, short enough to find a truncated secret. */
const PIECE = 14;

/** Also finds secrets of which only the beginning, the middle or the end is left. */
function formsOfPieces(...secrets: (string | Buffer)[]): Form[] {
  return secrets.flatMap((secret) => {
    const bytes = Buffer.from(secret as string);
    if (bytes.length < 2 * PIECE) return formsOf(bytes);
    const middle = Math.floor((bytes.length - PIECE) / 2);
    const begins = [0, ...(bytes.length < 3 * PIECE ? [] : [middle]), bytes.length - PIECE];
    const pieces = begins.flatMap((begin) => formsOf(bytes.subarray(begin, begin + PIECE)));
    return [...formsOf(bytes), ...pieces.map(({ form, text }) => ({ form: `a piece, ${form}`, text }))];
  });
}

const GROUP = 4;
/** A truncated card number with this many digits still reveals too much. */
const TELLING_DIGITS = 12;

/** Adds a card number in groups, with the groups reversed, and most of its digits. `search.ts` finds digits with other separators. */
function formsOfCardNumber(number: string): Form[] {
  const groups = number.match(new RegExp(`.{1,${GROUP}}`, 'g')) ?? [];
  const more = {
    'in groups': [' ', '-', '.', '%20', '+', '_'].map((between) => groups.join(between)),
    'groups reversed': [' ', '-', ''].map((between) => groups.toReversed().join(between)),
    'its beginning': [number.slice(0, TELLING_DIGITS)],
    'its end': [number.slice(-TELLING_DIGITS)],
  };
  return [...formsOf(number), ...distinct(more)];
}

/** Returns the base64 characters that do not depend on the bytes around, for a secret that begins `shift` bytes into a group of three. */
function base64At(bytes: Buffer, shift: number): string[] {
  const first = shift === 0 ? 0 : shift + 1;
  const end = Math.floor(((shift + bytes.length) * 8) / 6);
  const text = Buffer.concat([Buffer.alloc(shift), bytes])
    .toString('base64')
    .slice(first, end);
  // Queries and forms percent-encode the signs of base64.
  return [text, text.replaceAll('+', '-').replaceAll('/', '_'), encodeURIComponent(text)];
}

/** Keeps the first form of each text. Short texts are dropped: they would be found everywhere. */
function distinct(forms: Readonly<Record<string, readonly string[]>>): Form[] {
  const all = Object.entries(forms).flatMap(([form, texts]) => texts.map((text) => ({ form, text })));
  const isFirst = ({ text }: Form, at: number) => all.findIndex((other) => other.text === text) === at;
  return all.filter((one, at) => one.text.length >= TELLING_DIGITS && isFirst(one, at));
}
