import type { Parameter } from '@tranche/platform';
import { checked, MAX_PARAMETERS, tooMany, type Parameters, type Unreadable } from './received-parameters.js';
import { charsetOf, parameterOf, utf8Of } from '@tranche/platform';

const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s";,]{1,70}))\s*(?:;|$)/i;
const FIRST_LINE = /^\s*--([^\r\n]{1,70}?)-{0,2}\r?\n/;
const DISPOSITION = /^form-data\s*;\s*name=(?:"([^"\\]*)"|([^\s";]+))\s*$/i;

/** Control characters except tab. Some parsers take a lone CR or LF for a line break and would see other headers. */
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/;

/**
 * Reads a complete multipart/form-data body (RFC 7578): one level, no files; what is around the parts is no content (RFC 2046, 5.1.1). All
 * lines end as the first delimiter's does, with CRLF or LF alone. A part's own charset wins over the body's. Without a boundary in the
 * content type, the first line is the delimiter. Parsers of uploads (busboy) take no LF alone, base64 or missing boundary, and take a part
 * with two names or a header twice: behind them all of this would be read and checked anew.
 */
export function parametersOfMultipart(contentType: string, body: Buffer): Parameters | Unreadable {
  const text = body.toString('latin1');
  const named = BOUNDARY.exec(contentType);
  const boundary = named?.[1] ?? named?.[2] ?? FIRST_LINE.exec(text)?.[1];
  if (boundary === undefined) return notMultipart();
  const opening = `--${boundary}`;
  const start = text.startsWith(opening) ? 0 : text.indexOf(`\n${opening}`) + 1;
  let at = start + opening.length;
  const eol = text.startsWith('\r\n', at) ? '\r\n' : '\n';
  if (!text.startsWith(opening, start)) return notMultipart();
  const delimiter = eol + opening;
  const charset = charsetOf(contentType);
  const parameters: Parameter[] = [];
  while (!text.startsWith('--', at)) {
    const end = text.indexOf(delimiter, at);
    if (end < 0 || !text.startsWith(eol, at)) return notMultipart();
    if (parameters.length === MAX_PARAMETERS) return tooMany();
    const field = fieldOf(text.slice(at + eol.length, end), eol, charset);
    if ('unreadable' in field) return field;
    parameters.push(field.pair);
    at = end + delimiter.length;
  }
  return checked(parameters);
}

/** `part`: headers, an empty line and the value, with one character per byte. */
function fieldOf(part: string, eol: string, charsetOfBody?: string): { pair: Parameter } | Unreadable {
  const end = part.indexOf(eol + eol);
  if (end < 0) return notMultipart();
  const bytes = part.slice(0, end);
  const text = utf8Of(bytes);
  const headers = headersOf((text ?? bytes).split(eol));
  if (headers === undefined) return notMultipart();
  const disposition = headers.get('content-disposition') ?? '';
  if (/;\s*filename\*?\s*=/i.test(disposition)) return { unreadable: 'a file was sent' };
  const found = DISPOSITION.exec(disposition);
  const name = found?.[1] ?? found?.[2];
  const value = decoded(part.slice(end + 2 * eol.length), headers.get('content-transfer-encoding')?.toLowerCase());
  const type = headers.get('content-type') ?? '';
  if (name === undefined || value === undefined || /^multipart\//i.test(type)) return notMultipart();
  const nameBytes = text === undefined ? name : Buffer.from(name, 'utf8').toString('latin1');
  return { pair: parameterOf(nameBytes, value, charsetOf(type) ?? charsetOfBody) };
}

/** Mail libraries write the last two. Returns undefined for an encoding that is none of RFC 2045. */
function decoded(value: string, encoding = 'binary'): string | undefined {
  switch (encoding) {
    case '7bit':
    case '8bit':
    case 'binary':
      return value;
    case 'base64':
      return Buffer.from(value, 'base64').toString('latin1');
    case 'quoted-printable':
      return value
        .replace(/=[ \t]*\r?\n/g, '')
        .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
    default:
      return undefined;
  }
}

/** Returns undefined if a line is not a header or a header occurs twice. */
function headersOf(lines: readonly string[]): Map<string, string> | undefined {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    if (!/^[!-~]+$/.test(name) || CONTROL.test(line) || headers.has(name)) return undefined;
    headers.set(name, line.slice(colon + 1).trim());
  }
  return headers;
}

function notMultipart(): Unreadable {
  return { unreadable: 'the body is not multipart/form-data' };
}
