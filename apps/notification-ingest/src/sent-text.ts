import { isUtf8 } from 'node:buffer';
import type { Parameter } from '@tranche/platform';

/**
 * From the bytes of a parameter to its text. Bytes that are UTF-8 are UTF-8, whatever charset is named: it is not signed, so it may only
 * decide what else could not be read, and never another reading of what can. Other bytes are read by the charset that is named, if it has one
 * byte for each character and ASCII as it is; else as windows-1252, which is what ISO-8859-1 means on the web and has a character for
 * every byte. HASH is verified over the bytes, which such a pair keeps.
 */
export function parameterOf(name: string, value: string, charset?: string): Parameter {
  const nameText = utf8Of(name);
  const valueText = utf8Of(value);
  if (nameText !== undefined && valueText !== undefined) return [nameText, valueText];
  const sent = { name, value, ...(charset === undefined ? {} : { charset }) };
  return [nameText ?? decoded(name, charset), valueText ?? decoded(value, charset), sent];
}

const NOT_ASCII = /[^\0-\x7f]/;

/** `bytes` with one character for each; undefined where they are not UTF-8. */
export function utf8Of(bytes: string): string | undefined {
  if (!NOT_ASCII.test(bytes)) return bytes;
  const buffer = Buffer.from(bytes, 'latin1');
  return isUtf8(buffer) ? buffer.toString('utf8') : undefined;
}

const CHARSET = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i;
/** Names of the Encoding Standard. In others a byte of ASCII may be a part of another character. */
const ONE_BYTE_EACH = /^(?:iso-8859-|windows-|koi8-|macintosh$|x-mac-cyrillic$|ibm866$)/;

/** Of a Content-Type; undefined where none is named that counts. */
export function charsetOf(contentType: string): string | undefined {
  const label = CHARSET.exec(contentType)?.[1];
  return label === undefined ? undefined : knownCharset(label);
}

export function knownCharset(label: string): string | undefined {
  try {
    const { encoding } = new TextDecoder(label);
    return ONE_BYTE_EACH.test(encoding) ? encoding : undefined;
  } catch {
    return undefined;
  }
}

/** 0x80 to 0x9f. Node.js 20 and 22 decode these as control characters when they are asked for windows-1252. */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

function decoded(bytes: string, charset = 'windows-1252'): string {
  if (charset !== 'windows-1252') {
    try {
      return new TextDecoder(charset, { fatal: true }).decode(Buffer.from(bytes, 'latin1'));
    } catch {
      // A byte that this charset has no character for.
    }
  }
  return bytes.replace(/[\x80-\x9f]/g, (byte) => WINDOWS_1252[byte.charCodeAt(0) - 0x80]!);
}
