import { isPlainObject } from '@tranche/contracts';
import { invalidParameter } from '../request/field-formats.js';
import { refusal, type Refusal } from '../transactions/exec-codes.js';

/** The decrypted card without the CVV, which is checked and then dropped. */
export interface CardPlaintext {
  readonly cardCode: string;
  readonly validityDate: string;
  /** Absent only where the page offers no choice of brands and the tokenizer demands none. */
  readonly selectedBrand?: string;
}

const NEEDED = ['CARDCODE', 'CARDVALIDITYDATE', 'CARDCVV'] as const;
const NAMES = [...NEEDED, 'SELECTEDBRAND'] as const;

/** Interface, Encryption rules: a JSON object with only these four fields, each in its format. SELECTEDBRAND may be optional. */
export function readPlaintext(bytes: Uint8Array, requiresBrand = false): CardPlaintext | Refusal {
  const fields = fieldsOf(bytes);
  if (fields === undefined || Object.keys(fields).some((name) => !(NAMES as readonly string[]).includes(name))) {
    return refusal('1002', 'ENCRYPTEDDATA');
  }
  const missing = (requiresBrand ? NAMES : NEEDED).find((name) => fields[name] === undefined || fields[name] === '');
  if (missing !== undefined) return refusal('1001', missing);
  const given = NAMES.filter((name) => fields[name] !== undefined && fields[name] !== '');
  const notText = given.find((name) => typeof fields[name] !== 'string');
  const texts = new Map(given.map((name) => [name, String(fields[name])]));
  const invalid = notText ?? invalidParameter(texts, { method: 'card', market: 'FR' });
  if (invalid !== undefined) return refusal('1002', invalid);
  const [cardCode = '', validityDate = '', , selectedBrand] = NAMES.map((name) => texts.get(name));
  return { cardCode, validityDate, ...(selectedBrand && { selectedBrand }) };
}

function fieldsOf(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    return isPlainObject(value) ? value : undefined;
  } catch {
    // We do not report the parser's error, because it may quote card data.
    return undefined;
  }
}
