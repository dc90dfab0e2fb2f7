import { formsOfCardNumber, formsOfPieces, type Form } from './forms.js';

/** What may be where it is: an HFTOKEN in the command that pays with it, a test card in what the demo tells people. */
export type AllowedIn = 'its card command' | 'the command that was refused for it' | 'what the demo says';

export interface Canary {
  readonly name: string;
  readonly forms: readonly Form[];
  readonly allowedIn?: AllowedIn;
  /** Its digits count however they are separated. */
  readonly digits?: string;
}

/** Of a planted secret: 24 bytes in hex. */
const RANDOM_PART = 48;

/** What people call a card number, beside texts in which it stands. */
export const CARD_NAMES = [
  ...['CARDCODE', 'cardcode', 'CARD_NUMBER', 'cardNumber', 'card-no', 'ccnumber', 'cc', 'pan', 'PAN', 'FPAN', 'dpan'],
  ...['primaryAccountNumber', 'track2', 'creditcard', 'CARD', 'account', 'number', 'x', 'carte', 'numero_tarjeta'],
  ...['comment', 'NOTE', 'DESCRIPTION', 'MESSAGE', 'EXTRADATA', 'CLIENTEMAIL'],
];

/** What people call a card's cryptogram, and texts that name it. */
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

/** A text that is nowhere else; what stands in front of its random part may be. */
export const secretCanary = (name: string, value: string): Canary => ({
  name,
  forms: formsOfPieces(value.slice(-RANDOM_PART)),
});

/** A key of bytes: as its base64 stands in a setting, and as itself. */
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

/** The beginning of a JWT is the same in all of them: payload and signature are its own. */
export function accessTokenCanary(token: string): Canary {
  const [, payload = '', signature = ''] = token.split('.');
  return { name: 'access token', forms: [...formsOfPieces(payload), ...formsOfPieces(signature)] };
}

export const cardTokenCanary = (token: string): Canary => ({
  name: 'HFTOKEN',
  forms: [...formsOfPieces(token), ...formsOfPieces(token.replaceAll('-', ''))],
  allowedIn: 'its card command',
});

/** What is searched by its shape: three digits are found in every time-stamp, a private key is new in every process. Base64 has the letters of
 * any name now and then, seldom with three digits that stand for themselves. */
export const SHAPES: readonly { readonly name: string; readonly shape: RegExp }[] = [
  {
    name: 'CVV',
    shape:
      /(?:cvv|cvc|cvn|cryptogram|security ?code|verification_value)(?:[a-z]*2?(?:[^0-9a-z]{1,16}| is | code: ))?[0-9]{3,4}(?![0-9a-z])/gi,
  },
  { name: 'private key', shape: /BEGIN (?:[A-Z]+ )?PRIVATE KEY|"(?:dp|dq|qi)"\s*:\s*"/g },
];
