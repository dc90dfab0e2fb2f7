import { isUtf8 } from 'node:buffer';
import { fault, type Fault } from './faults.js';
import { isTimestamp } from './validation/calendar.js';
import { codePoints } from './validation/code-points.js';

/** CloudEvents 1.0 with the extensions that we use. */
export interface CloudEvent<T = unknown> {
  id: string;
  source: string;
  type: string;
  /** RFC 3339. */
  time: string;
  subject?: string;
  datacontenttype?: string;
  correlationid?: string;
  causationid?: string;
  /** Of a result event: where its journal record lies, see `sequenceOf`. */
  sequence?: string;
  /** W3C Trace Context. */
  traceparent?: string;
  tracestate?: string;
  data: T;
}

export interface EncodedEvent {
  headers: Record<string, string>;
  value: Buffer;
}

export interface ReceivedMessage {
  headers: Record<string, string>;
  value: Buffer | null;
}

export type DecodedEvent =
  { event: CloudEvent<unknown>; faults: [] } | { event?: Partial<CloudEvent>; faults: Fault[] };

const SPEC_VERSION = '1.0';
const STRUCTURED = 'application/cloudevents+json';
/** A batch is not an event: it is refused like any other type that is not JSON. */
const JSON_MEDIA_TYPE = /^application\/(?!cloudevents)(?:[a-z0-9.-]+\+)?json$/;
const CONTROL_CHARACTER = /[\0-\x1f\x7f]/;

/** Longest value in code points. CloudEvents sets no limits; ids go into journal, index and EXTRADATA, so we do. */
const ATTRIBUTES = {
  id: { max: 128, required: true },
  source: { max: 255, required: true },
  type: { max: 128, required: true },
  time: { max: 64, required: true },
  subject: { max: 255, required: false },
  datacontenttype: { max: 128, required: false },
  correlationid: { max: 128, required: false },
  causationid: { max: 128, required: false },
  sequence: { max: 64, required: false },
} as const;
type Attribute = keyof typeof ATTRIBUTES;
const ATTRIBUTE_NAMES = Object.keys(ATTRIBUTES) as Attribute[];
/** Not CloudEvents attributes in Kafka but plain headers, where tracing libraries look for them. */
const TRACE_HEADERS = ['traceparent', 'tracestate'] as const;

/** Kafka binary mode: attributes in `ce_*` headers, the data alone in the value. */
export function encodeCloudEvent(event: CloudEvent): EncodedEvent {
  const headers: Record<string, string> = {
    ce_specversion: SPEC_VERSION,
    'content-type': event.datacontenttype ?? 'application/json',
  };
  for (const name of ATTRIBUTE_NAMES) {
    const value = event[name];
    if (value !== undefined && name !== 'datacontenttype') headers[`ce_${name}`] = value;
  }
  for (const name of TRACE_HEADERS) {
    const value = event[name];
    if (value !== undefined) headers[name] = value;
  }
  return { headers, value: Buffer.from(JSON.stringify(event.data), 'utf8') };
}

/** Binary or structured mode, told apart by the content type. Never throws: whatever is wrong comes back as faults. */
export function decodeCloudEvent(message: ReceivedMessage): DecodedEvent {
  const contentType = mediaType(message.headers['content-type']);
  if (contentType === STRUCTURED) return decodeStructured(message);
  const faults: Fault[] = [];
  if (contentType !== undefined && !JSON_MEDIA_TYPE.test(contentType)) {
    faults.push(
      fault(
        'content-type',
        'malformed_envelope',
        'content-type must be application/json or application/cloudevents+json',
      ),
    );
  }
  const event = attributes(
    (name) => message.headers[name === 'datacontenttype' ? 'content-type' : `ce_${name}`],
    faults,
    'ce_',
  );
  if (message.headers.ce_specversion !== SPEC_VERSION) faults.push(unsupportedVersion('ce_specversion'));
  addTrace(event, message.headers);
  const parsed = parseJson(message.value);
  if ('unreadable' in parsed) faults.push(fault('data', 'malformed_envelope', parsed.unreadable));
  else event.data = parsed.json;
  return decoded(event, faults);
}

const EPOCH = 10n ** 16n;
/** Epochs that fit in front of an offset of 16 digits, so that a `sequence` stays below 2⁶³. */
export const HIGHEST_JOURNAL_EPOCH = 921;

/**
 * Where a journal record lies, as `sequence`: epoch of the journal (3 digits), offset (16 digits). It rises as text as well as by number, also when
 * the journal moved to another cluster, where offsets begin anew and the epoch is one more.
 */
export function sequenceOf(offset: bigint, epoch = 0): string {
  return (BigInt(epoch) * EPOCH + offset).toString().padStart(19, '0');
}

function decodeStructured(message: ReceivedMessage): DecodedEvent {
  const parsed = parseJson(message.value);
  if ('unreadable' in parsed) return { faults: [fault('', 'malformed_envelope', parsed.unreadable)] };
  if (typeof parsed.json !== 'object' || parsed.json === null || Array.isArray(parsed.json)) {
    return { faults: [fault('', 'malformed_envelope', 'a structured event must be a JSON object')] };
  }
  const envelope = parsed.json as Record<string, unknown>;
  const read = (name: string) => (Object.hasOwn(envelope, name) ? envelope[name] : undefined);
  const faults: Fault[] = [];
  const event = attributes(read, faults, '');
  if (read('specversion') !== SPEC_VERSION) faults.push(unsupportedVersion('specversion'));
  // A reader that looks at the headers alone would take it for another one.
  for (const [header, value] of Object.entries(message.headers))
    if (header.startsWith('ce_') && value !== read(header.slice(3)))
      faults.push(fault(header, 'malformed_envelope', `differs from ${header.slice(3)} of the structured event`));
  addTrace(event, message.headers, read);
  if (event.datacontenttype !== undefined && !JSON_MEDIA_TYPE.test(mediaType(event.datacontenttype) ?? '')) {
    faults.push(fault('datacontenttype', 'malformed_envelope', 'datacontenttype must be application/json'));
  }
  if (!Object.hasOwn(envelope, 'data'))
    faults.push(fault('data', 'malformed_envelope', 'data is missing (data_base64 is not taken)'));
  else event.data = envelope.data;
  return decoded(event, faults);
}

function decoded(event: Partial<CloudEvent>, faults: Fault[]): DecodedEvent {
  return faults.length === 0 ? { event: event as CloudEvent, faults: [] } : { event, faults };
}

function attributes(read: (name: Attribute) => unknown, faults: Fault[], prefix: string): Partial<CloudEvent> {
  const event: Partial<CloudEvent> = {};
  for (const name of ATTRIBUTE_NAMES) {
    const value = read(name);
    const path = name === 'datacontenttype' && prefix !== '' ? 'content-type' : prefix + name;
    if (value === undefined) {
      if (ATTRIBUTES[name].required) faults.push(fault(path, 'malformed_envelope', `${path} is missing`));
      continue;
    }
    const problem = attributeProblem(name, value);
    if (problem === undefined) event[name] = value as string;
    else faults.push(fault(path, 'malformed_envelope', `${path} ${problem}`));
  }
  return event;
}

function attributeProblem(name: Attribute, value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a text';
  const { max } = ATTRIBUTES[name];
  if (value === '' || codePoints(value) > max) return `must have 1 to ${max} characters`;
  if (CONTROL_CHARACTER.test(value)) return 'must not hold control characters';
  if (name === 'time' && !isTimestamp(value)) return 'must be an RFC 3339 time-stamp';
  return undefined;
}

/** Trace context is never a reason to refuse a message: what is not text is left out. */
function addTrace(event: Partial<CloudEvent>, headers: Record<string, string>, read?: (name: string) => unknown): void {
  for (const name of TRACE_HEADERS) {
    const value = headers[name] ?? headers[`ce_${name}`] ?? read?.(name);
    if (typeof value === 'string' && value !== '') event[name] = value;
  }
}

function unsupportedVersion(path: string): Fault {
  return fault(path, 'malformed_envelope', `${path} must be ${SPEC_VERSION}`);
}

function mediaType(contentType: unknown): string | undefined {
  return typeof contentType === 'string' ? contentType.split(';', 1)[0]?.trim().toLowerCase() : undefined;
}

function parseJson(value: Buffer | null): { json: unknown } | { unreadable: string } {
  if (value === null || value.length === 0) return { unreadable: 'the message has no content' };
  if (!isUtf8(value)) return { unreadable: 'the content is not UTF-8' };
  try {
    return { json: JSON.parse(value.toString('utf8')) as unknown };
  } catch {
    return { unreadable: 'the content is not JSON' };
  }
}
