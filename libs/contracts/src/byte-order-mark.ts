import { readFileSync } from 'node:fs';

/** UTF-8 without the byte order mark in front, which editors and servers add. UTF-16 is read too, if its mark says so. */
export function withoutByteOrderMark(bytes: Buffer): Buffer {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return bytes.subarray(3);
  const utf16 = first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : '';
  return utf16 === '' ? bytes : Buffer.from(new TextDecoder(utf16).decode(bytes), 'utf8');
}

/**
 * Text of a file that people wrote: the byte order mark of their editor is no content.
 * @throws as `readFileSync`
 */
export function readTextFile(path: string): string {
  return withoutByteOrderMark(readFileSync(path)).toString('utf8');
}
