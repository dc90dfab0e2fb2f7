import type { Parameter } from '@tranche/platform';
import { checked, MAX_PARAMETERS, tooMany, type Parameters, type Unreadable } from './received-parameters.js';
import { charsetOf, parameterOf, utf8Of } from './sent-text.js';

const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s";,]{1,70}))\s*(?:;|$)/i;
const DISPOSITION = /^form-data\s*;\s*name=(?:"([^"\\]*)"|([^\s";]+))\s*$/;
/** The identity encodings of RFC 7578. A field in another one (base64, quoted-printable) would be read wrongly, so it is refused. */
const TRANSFER_ENCODINGS: readonly (string | undefined)[] = [undefined, '7bit', '8bit', 'binary'];

/** Control characters except tab. Some parsers take a lone CR or LF for a line break and would see other headers. */
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/;

const CRLF = Buffer.from('\r\n');
const END_OF_HEADERS = Buffer.from('\r\n\r\n');
const HYPHENS = Buffer.from('--');

/**
 * Reads a complete multipart/form-data body (RFC 7578): one level, no files. A part's own charset wins over the body's. We refuse a body
 * that another parser could read differently: text around the parts, a part that is not a field, a missing end.
 */
export function parametersOfMultipart(contentType: string, body: Buffer): Parameters | Unreadable {
  const found = BOUNDARY.exec(contentType);
  const boundary = found?.[1] ?? found?.[2];
  if (boundary === undefined) return notMultipart();
  const opening = Buffer.from(`--${boundary}`, 'latin1');
  if (!body.subarray(0, opening.length).equals(opening)) return notMultipart();
  const delimiter = Buffer.concat([CRLF, opening]);
  const charset = charsetOf(contentType);
  const parameters: Parameter[] = [];
  let at = opening.length;
  while (!startsWith(body, HYPHENS, at)) {
    const end = body.indexOf(delimiter, at);
    if (end < 0 || !startsWith(body, CRLF, at)) return notMultipart();
    if (parameters.length === MAX_PARAMETERS) return tooMany();
    const field = fieldOf(body.subarray(at, end), charset);
    if ('unreadable' in field) return field;
    parameters.push(field.pair);
    at = end + delimiter.length;
  }
  const rest = body.subarray(at + HYPHENS.length);
  return rest.length === 0 || rest.equals(CRLF) ? checked(parameters) : notMultipart();
}

/** `part` begins with the line break after its delimiter; then come headers, an empty line, and the value. */
function fieldOf(part: Buffer, charsetOfBody?: string): { pair: Parameter } | Unreadable {
  const end = part.indexOf(END_OF_HEADERS);
  if (end < 0) return notMultipart();
  const bytes = part.toString('latin1', CRLF.length, end);
  const text = utf8Of(bytes);
  const headers = headersOf(text ?? bytes);
  if (headers === undefined) return notMultipart();
  const disposition = headers.get('content-disposition') ?? '';
  if (/;\s*filename\*?\s*=/i.test(disposition)) return { unreadable: 'a file was sent' };
  const named = DISPOSITION.exec(disposition);
  const name = named?.[1] ?? named?.[2];
  const isField = TRANSFER_ENCODINGS.includes(headers.get('content-transfer-encoding')?.toLowerCase());
  const type = headers.get('content-type') ?? '';
  if (name === undefined || !isField || /^multipart\//i.test(type)) return notMultipart();
  const nameBytes = text === undefined ? name : Buffer.from(name, 'utf8').toString('latin1');
  const value = part.toString('latin1', end + END_OF_HEADERS.length);
  return { pair: parameterOf(nameBytes, value, charsetOf(type) ?? charsetOfBody) };
}

/** Returns undefined if a line is not a header or a header occurs twice. */
function headersOf(text: string): Map<string, string> | undefined {
  const headers = new Map<string, string>();
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    if (!/^[!-~]+$/.test(name) || CONTROL.test(line) || headers.has(name)) return undefined;
    headers.set(name, line.slice(colon + 1).trim());
  }
  return headers;
}

function startsWith(body: Buffer, start: Buffer, at: number): boolean {
  return body.subarray(at, at + start.length).equals(start);
}

function notMultipart(): Unreadable {
  return { unreadable: 'the body is not multipart/form-data' };
}
