import { isUtf8 } from 'node:buffer';
import { withoutByteOrderMark } from '@tranche/contracts';
import type { Parameter } from './form.js';

/**
 * Valid UTF-8 is always read as UTF-8: the charset is not signed, so it must not change what we can read without it. Other bytes are read
 * with the named charset if it extends ASCII with one byte per character, else as windows-1252, which has a character for every byte.
 * Such a pair keeps its bytes, because HASH is verified over them.
 */
export function parameterOf(name: string, value: string, charset?: string): Parameter {
  const nameText = utf8Of(name);
  const valueText = utf8Of(value);
  if (nameText !== undefined && valueText !== undefined) return [nameText, valueText];
  const sent = { name, value, ...(charset === undefined ? {} : { charset }) };
  return [nameText ?? decoded(name, charset), valueText ?? decoded(value, charset), sent];
}

const NOT_ASCII = /[^\0-\x7f]/;

/** `bytes` holds one character per byte. Returns undefined if they are not UTF-8. */
export function utf8Of(bytes: string): string | undefined {
  if (!NOT_ASCII.test(bytes)) return bytes;
  const buffer = Buffer.from(bytes, 'latin1');
  return isUtf8(buffer) ? buffer.toString('utf8') : undefined;
}

const CHARSET = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i;
/** Names of the Encoding Standard. In other charsets an ASCII byte may be part of another character. */
const ONE_BYTE_EACH = /^(?:iso-8859-|windows-|koi8-|macintosh$|x-mac-cyrillic$|ibm866$)/;

/** The charset of a Content-Type; undefined if it names none or one that we do not use. */
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

/** The text of an answer's body, by the same rules as a notification's values. */
export function textOfBody(sent: Buffer, contentType = ''): string {
  const body = withoutByteOrderMark(sent);
  return isUtf8(body) ? body.toString('utf8') : decoded(body.toString('latin1'), charsetOf(contentType));
}

/** Bytes 0x80 to 0x9f. Node.js 20 and 22 decode them as control characters for windows-1252. */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

function decoded(bytes: string, charset = 'windows-1252'): string {
  if (charset !== 'windows-1252') {
    try {
      return new TextDecoder(charset, { fatal: true }).decode(Buffer.from(bytes, 'latin1'));
    } catch {
      // The named charset has no character for one of the bytes: we use windows-1252.
    }
  }
  return bytes.replace(/[\x80-\x9f]/g, (byte) => WINDOWS_1252[byte.charCodeAt(0) - 0x80]!);
}
