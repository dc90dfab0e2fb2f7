import { brotliDecompressSync, inflateRawSync, unzipSync } from 'node:zlib';
import { withoutByteOrderMark } from '@tranche/contracts';
import { charsetOf } from '@tranche/platform';
import { parametersOfMultipart } from './multipart-parameters.js';
import {
  checked,
  parametersOfForm,
  parametersOfJson,
  type Parameters,
  type Unreadable,
} from './received-parameters.js';
import type { ReceivedRequest } from './received-request.js';

/** The platform sets no limit for MESSAGE, so this one is ours (docs/decisions/0070). */
export const MAX_BODY_BYTES = 1_048_576;
/** A few compressed bytes can unpack to a thousand times as many, and each costs time to read. A notification has about 4 kB. */
const MAX_UNPACKED_BYTES = 65_536;

/**
 * The flat list of parameters, in whichever way they were sent. The interface does not say how notifications come, so method and content
 * type refuse nothing: HASH is verified over exactly the pairs that are returned.
 */
export function parametersOf({
  query,
  body: sent,
  contentType,
  contentEncoding,
}: ReceivedRequest): Parameters | Unreadable {
  const { body, isText } = unpacked(sent ?? Buffer.alloc(0), contentEncoding);
  if (!isText && isPacked(body))
    return {
      unreadable: `the body is packed twice, is damaged, or has more than ${MAX_UNPACKED_BYTES} bytes unpacked`,
    };
  const ofBody = isBlank(body) ? [] : parametersOfBody(contentType, withoutByteOrderMark(body));
  if ('unreadable' in ofBody) return ofBody;
  const ofQuery = query.length === 0 ? [] : parametersOfForm(query, charsetOf(contentType));
  if ('unreadable' in ofQuery) return ofQuery;
  const sentBy = ofQuery.length === 0 ? ofBody : ofBody.length === 0 ? ofQuery : inBoth(ofQuery, ofBody);
  const unwrapped = withoutWrapper(sentBy);
  const read = [ofQuery, ofBody].includes(unwrapped) ? unwrapped : checked(unwrapped);
  if ('unreadable' in read) return read;
  const isNotification = ['IDENTIFIER', 'HASH'].every((name) => read.some((pair) => pair[0] === name));
  return isNotification ? read : { unreadable: 'IDENTIFIER or HASH is missing' };
}

/** The request with its body unpacked. `isHidden`: without it, because it is no text, for example packed twice. We can't search it for card data. */
export function opened(request: ReceivedRequest): { request: ReceivedRequest; isHidden: boolean } {
  const { body, isText } = unpacked(request.body ?? Buffer.alloc(0), request.contentEncoding);
  const isHidden = !isText;
  return { request: { ...request, body: isHidden ? Buffer.alloc(0) : body, contentEncoding: '' }, isHidden };
}

/** A refused request is read twice, for its parameters and for the quarantine. Its body is unpacked once. */
const unpackedBefore = new WeakMap<Buffer, Unpacked>();

interface Unpacked {
  body: Buffer;
  isText: boolean;
}

function unpacked(sent: Buffer, contentEncoding: string): Unpacked {
  // Compressed bytes have control characters. A body without them was unpacked on its way, by a proxy that left the header.
  if (!CONTROL.test(sent.toString('latin1'))) return { body: sent, isText: true };
  const before = unpackedBefore.get(sent);
  if (before !== undefined) return before;
  const body = unpackedAs(isGzip(sent) ? 'gzip' : codingOf(contentEncoding), sent) ?? sent;
  const read = { body, isText: mayBeText(body) };
  unpackedBefore.set(sent, read);
  return read;
}

/** The last coding, which was applied last: without parameters and the old `x-`. */
function codingOf(contentEncoding: string): string {
  const codings = contentEncoding.toLowerCase().split(',');
  const names = codings.map((coding) => coding.replace(/;.*/s, '').trim().replace(/^x-/, ''));
  return names.findLast((name) => name !== '' && name !== 'identity') ?? '';
}

/** Returns undefined if the bytes are not packed so, or unpack to too many. */
function unpackedAs(coding: string, body: Buffer): Buffer | undefined {
  const limit = { maxOutputLength: MAX_UNPACKED_BYTES };
  try {
    if (coding === 'gzip') return unzipSync(withoutLineEnd(body), limit);
    // Some clients send `deflate` without the header of zlib.
    if (coding === 'deflate') return isZlib(body) ? unzipSync(body, limit) : inflateRawSync(body, limit);
    if (coding === 'br') return brotliDecompressSync(body, limit);
  } catch {
    // The caller reads the bytes as they are, if they do not look packed.
  }
  return undefined;
}

/** Clients add line breaks. No gzip of up to 16 MB ends so: its last byte is the highest of its length. */
function withoutLineEnd(body: Buffer): Buffer {
  let end = body.length;
  while (body[end - 1] === 10 || body[end - 1] === 13) end--;
  return body.subarray(0, end);
}

const CONTROL = /[\x01-\x08\x0e-\x1f\x7f]/;
const CONTROLS = new RegExp(CONTROL, 'g');
const UTF_16 = /^(?:\xff\xfe|\xfe\xff)/;

/** A text may have a few control characters. One byte in ten of compressed ones is such a character. */
function mayBeText(body: Buffer): boolean {
  const text = body.toString('latin1');
  const controls = text.match(CONTROLS)?.length ?? 0;
  return controls === 0 || UTF_16.test(text) || (!isPacked(body) && controls * 50 <= body.length);
}

const isGzip = (body: Buffer): boolean => body[0] === 0x1f && body[1] === 0x8b;

/** RFC 1950: the method is 8, and the first two bytes are a multiple of 31. */
const isZlib = ([method = 0, flags = 0]: Buffer): boolean => (method & 15) === 8 && (method * 256 + flags) % 31 === 0;

const isPacked = (body: Buffer): boolean => isGzip(body) || isZlib(body);

/** Clients send a line break, a byte order mark or an empty object where they have no body. */
function isBlank(body: Buffer): boolean {
  return body.length <= 20 && /^(?:\xef\xbb\xbf)?[\s&;]*(?:\{\s*\}\s*)?$/.test(body.toString('latin1'));
}

/** The first character says what a body is: no form begins with a brace, nor a parameter with two hyphens. */
function parametersOfBody(contentType: string, body: Buffer): Parameters | Unreadable {
  const beginning = body.toString('latin1', 0, 100).trimStart();
  if (beginning.startsWith('{')) return parametersOfJson(body, charsetOf(contentType));
  const isMultipart = beginning.startsWith('--') || /^\s*multipart\/[^;]*;.*boundary=/i.test(contentType);
  return isMultipart ? parametersOfMultipart(contentType, body) : parametersOfForm(body, charsetOf(contentType));
}

const WRAPPED = /^params\[([^\]]+)\]/;

/** `params[NAME]` beside `method`, as the platform takes its requests, means NAME. */
function withoutWrapper(parameters: Parameters): Parameters {
  if (!parameters.every(([name]) => name === 'method' || WRAPPED.test(name))) return parameters;
  const unwrapped = (name: string) => name.replace(WRAPPED, '$1');
  return parameters
    .filter(([name]) => name !== 'method')
    .map(([name, value, sent]) =>
      sent === undefined ? [unwrapped(name), value] : [unwrapped(name), value, { ...sent, name: unwrapped(sent.name) }],
    );
}

/** Some clients repeat the query in the body. Two values of one name stay and are refused, because we can't know which one is meant. */
function inBoth(ofQuery: Parameters, ofBody: Parameters): Parameters {
  const known = new Set(ofQuery.map(textOf));
  return [...ofQuery, ...ofBody.filter((pair) => !known.has(textOf(pair)))];
}

function textOf([name, value, sent]: Parameters[number]): string {
  return JSON.stringify(sent === undefined ? [name, value] : [sent.name, sent.value]);
}
