import { formsOfCardNumber, formsOfPieces, type Form } from './forms.js';

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
