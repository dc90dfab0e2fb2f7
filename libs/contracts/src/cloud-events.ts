import { isUtf8 } from 'node:buffer';
import { fault, type Fault } from './error-codes.js';
import { parseJsonWithNames, type RepeatedName } from './validation/json-names.js';
import { isTimestamp, codePoints } from './validation/texts.js';

/** A CloudEvents 1.0 event with our extension attributes. */
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
  /** Set on result events: the position of the journal record, see `sequenceOf`. */
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

type DecodedEvent = { event: CloudEvent<unknown>; faults: [] } | { event?: Partial<CloudEvent>; faults: Fault[] };

const SPEC_VERSION = '1.0';
const STRUCTURED = 'application/cloudevents+json';
/** A batch (`application/cloudevents-batch+json`) holds several events, so it does not match and is refused. */
const JSON_MEDIA_TYPE = /^application\/(?!cloudevents)(?:[a-z0-9.-]+\+)?json$/;
const CONTROL_CHARACTER = /[\0-\x1f\x7f]/;

interface AttributeRule {
  /** Maximum length in code points. CloudEvents has none, but ids are copied to the journal, the index and EXTRADATA. */
  readonly max: number;
  readonly required: boolean;
  readonly description: string;
  /** The part that holds for commands alone; the headers of events are documented without it. */
  readonly ofCommands?: string;
  readonly example: string;
}

const ATTRIBUTES = {
  id: {
    max: 128,
    required: true,
    description: 'Id of the message. A message with the id of an earlier one is its repetition.',
    example: '5b0a4c1e-0d0f-4a55-8c0e-2f6a1f0c9d10',
  },
  source: { max: 255, required: true, description: 'URI of the sender.', example: '/shop' },
  type: {
    max: 128,
    required: true,
    description: 'Type of the message; it decides the schema of the value.',
    example: 'payment.capture',
  },
  time: {
    max: 64,
    required: true,
    description: 'RFC 3339 time at which the message was made.',
    ofCommands: 'A command older than 7 days is rejected.',
    example: '2027-03-01T10:00:00Z',
  },
  subject: { max: 255, required: false, description: 'Order key, merchant/orderId.', example: 'shop-fr/order-1' },
  datacontenttype: { max: 128, required: false, description: 'Media type of the value.', example: 'application/json' },
  correlationid: {
    max: 128,
    required: false,
    description: 'Id of the sender for what belongs together. The events of a command return it.',
    example: 'basket-42',
  },
  causationid: {
    max: 128,
    required: false,
    description: 'Id of the command that the event is about.',
    example: '5b0a4c1e-0d0f-4a55-8c0e-2f6a1f0c9d10',
  },
  sequence: {
    max: 64,
    required: false,
    description: 'Place of a result event: it increases within an order, as a text and as a number.',
    example: '0000000000000000042',
  },
} as const satisfies Record<string, AttributeRule>;
type Attribute = keyof typeof ATTRIBUTES;
const ATTRIBUTE_NAMES = Object.keys(ATTRIBUTES) as Attribute[];
const HEADER_OF = Object.fromEntries(
  ATTRIBUTE_NAMES.map((name) => [name, name === 'datacontenttype' ? 'content-type' : `ce_${name}`]),
) as Readonly<Record<Attribute, string>>;
/** Without `content-type`, which other messages have too. */
const ATTRIBUTE_HEADERS: ReadonlySet<string> = new Set(
  ['ce_specversion', ...Object.values(HEADER_OF)].filter((header) => header !== 'content-type'),
);

/** True for a header that we read an attribute from. Other `ce_` headers, such as those of tracing, decide nothing. */
export const isAttributeHeader = (header: string): boolean => ATTRIBUTE_HEADERS.has(header);

interface EnvelopeHeader extends AttributeRule {
  /** Name of the Kafka header in binary mode. */
  readonly header: string;
}

export const ENVELOPE_HEADERS: readonly EnvelopeHeader[] = [
  {
    header: 'ce_specversion',
    max: 3,
    required: true,
    description: 'Version of CloudEvents, 1.0.',
    example: SPEC_VERSION,
  },
  ...ATTRIBUTE_NAMES.map((name) => ({
    ...ATTRIBUTES[name],
    header: HEADER_OF[name],
  })),
];

/** Plain Kafka headers without `ce_`, because tracing libraries look for them there. */
const TRACE_HEADERS = ['traceparent', 'tracestate'] as const;

/** Encodes for Kafka in binary mode: attributes as `ce_*` headers, `data` as JSON in the value. */
export function encodeCloudEvent(event: CloudEvent): EncodedEvent {
  const headers: Record<string, string> = {
    ce_specversion: SPEC_VERSION,
    'content-type': event.datacontenttype ?? 'application/json',
  };
  for (const name of ATTRIBUTE_NAMES) {
    const value = event[name];
    if (value !== undefined && name !== 'datacontenttype') headers[HEADER_OF[name]] = value;
  }
  for (const name of TRACE_HEADERS) {
    const value = event[name];
    if (value !== undefined) headers[name] = value;
  }
  return { headers, value: Buffer.from(JSON.stringify(event.data), 'utf8') };
}

/**
 * Decodes binary or structured mode. Structured: the content type says so, or no header has an attribute and the value has all of them,
 * because CloudEvents' Python SDK writes the type of the data into the header. Never throws: it returns all faults.
 */
export function decodeCloudEvent(message: ReceivedMessage): DecodedEvent {
  const contentType = mediaType(headerOf(message.headers, 'content-type'));
  if (contentType === STRUCTURED) return decodeStructured(message, jsonOf(message.value));
  if (!Object.keys(message.headers).some(isAttributeHeader)) {
    const envelope = jsonOf(message.value);
    if ('json' in envelope && Object.hasOwn(Object(envelope.json) as object, 'specversion'))
      return decodeStructured(message, envelope);
  }
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
  const event = attributesOfHeaders(message.headers, faults);
  if (message.headers.ce_specversion !== SPEC_VERSION) faults.push(unsupportedVersion('ce_specversion'));
  addTrace(event, message.headers);
  const parsed = jsonOf(message.value);
  takeData(event, parsed, faults);
  return decoded(event, faults);
}

const EPOCH = 10n ** 16n;
/** The highest epoch that keeps a `sequence` below 2⁶³ (an epoch in front of an offset of 16 digits). */
export const HIGHEST_JOURNAL_EPOCH = 921;

/**
 * Position of a journal record as text: the journal's epoch (3 digits), then the offset (16 digits). It increases as text and as a
 * number. A journal that moves to another cluster gets the next epoch, because offsets start at 0 there.
 */
export function sequenceOf(offset: bigint, epoch = 0): string {
  return (BigInt(epoch) * EPOCH + offset).toString().padStart(19, '0');
}

type Json = { json: unknown; repeated: RepeatedName[] } | { unreadable: string };

function decodeStructured(message: ReceivedMessage, parsed: Json): DecodedEvent {
  // Headers may repeat the attributes: they then name the command whose content cannot be read.
  if ('unreadable' in parsed)
    return {
      event: attributesOfHeaders(message.headers, []),
      faults: [fault('', 'malformed_envelope', parsed.unreadable)],
    };
  if (typeof parsed.json !== 'object' || parsed.json === null || Array.isArray(parsed.json)) {
    return { faults: [fault('', 'malformed_envelope', 'a structured event must be a JSON object')] };
  }
  const envelope = parsed.json as Record<string, unknown>;
  const read = (name: string) => (Object.hasOwn(envelope, name) ? envelope[name] : undefined);
  const faults: Fault[] = [];
  const event = attributes(read, faults, (name) => name);
  if (read('specversion') !== SPEC_VERSION) faults.push(unsupportedVersion('specversion'));
  // A header that differs is a fault: a reader of headers alone would see another event than a reader of the value.
  for (const [header, value] of Object.entries(message.headers))
    if (isAttributeHeader(header) && value !== read(header.slice(3)))
      faults.push(fault(header, 'malformed_envelope', `differs from ${header.slice(3)} of the structured event`));
  addTrace(event, message.headers, read);
  if (event.datacontenttype !== undefined && !JSON_MEDIA_TYPE.test(mediaType(event.datacontenttype) ?? '')) {
    faults.push(fault('datacontenttype', 'malformed_envelope', 'datacontenttype must be application/json'));
  }
  faults.push(...parsed.repeated.map(({ path, message: why }) => fault(path.replace(/^data\./, ''), 'duplicate', why)));
  takeData(event, dataOf(envelope), faults);
  return decoded(event, faults);
}

function takeData(event: Partial<CloudEvent>, data: Json, faults: Fault[]): void {
  if ('unreadable' in data) return void faults.push(fault('data', 'malformed_envelope', data.unreadable));
  event.data = data.json;
  faults.push(...data.repeated.map(({ path, message }) => fault(path, 'duplicate', message)));
}

/** `data_base64` holds the bytes of the data (CloudEvents JSON format, section 3.1). */
function dataOf(envelope: Readonly<Record<string, unknown>>): Json {
  const hasData = Object.hasOwn(envelope, 'data');
  const base64: unknown = Object.hasOwn(envelope, 'data_base64') ? envelope.data_base64 : undefined;
  if (base64 === undefined) return hasData ? { json: envelope.data, repeated: [] } : { unreadable: 'data is missing' };
  if (hasData) return { unreadable: 'data and data_base64 are both there' };
  return typeof base64 === 'string'
    ? jsonOf(Buffer.from(base64, 'base64'))
    : { unreadable: 'data_base64 must be a text' };
}

function decoded(event: Partial<CloudEvent>, faults: Fault[]): DecodedEvent {
  return faults.length === 0 ? { event: event as CloudEvent, faults: [] } : { event, faults };
}

function attributesOfHeaders(headers: Readonly<Record<string, string>>, faults: Fault[]): Partial<CloudEvent> {
  return attributes(
    (name) => headers[HEADER_OF[name]],
    faults,
    (name) => HEADER_OF[name],
  );
}

function attributes(
  read: (name: Attribute) => unknown,
  faults: Fault[],
  pathOf: (name: Attribute) => string,
): Partial<CloudEvent> {
  const event: Partial<CloudEvent> = {};
  for (const name of ATTRIBUTE_NAMES) {
    const value = read(name);
    const path = pathOf(name);
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
  if (value === '' || (value.length > max && codePoints(value) > max)) return `must have 1 to ${max} characters`;
  if (CONTROL_CHARACTER.test(value)) return 'must not hold control characters';
  if (name === 'time' && !isTimestamp(value)) return 'must be an RFC 3339 time-stamp';
  return undefined;
}

/** An invalid trace context is left out. It is never a reason to refuse a message. */
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

/** Kafka's header names have no fixed case. */
function headerOf(headers: Readonly<Record<string, string>>, wanted: string): string | undefined {
  return headers[wanted] ?? Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1];
}

function jsonOf(value: Buffer | null): Json {
  if (value === null || value.length === 0) return { unreadable: 'the message has no content' };
  if (value[0] === 0) return { unreadable: 'the content is framed, as by a schema registry: it must be plain JSON' };
  if (!isUtf8(value)) return { unreadable: 'the content is not UTF-8' };
  try {
    return parseJsonWithNames(value.toString('utf8'));
  } catch {
    return { unreadable: 'the content is not JSON' };
  }
}
