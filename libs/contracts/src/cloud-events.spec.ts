import { CloudEvent as SdkCloudEvent, Kafka, type KafkaMessage } from 'cloudevents';
import fc from 'fast-check';
import {
  decodeCloudEvent,
  encodeCloudEvent,
  HIGHEST_JOURNAL_EPOCH,
  sequenceOf,
  type CloudEvent,
} from './cloud-events.js';

const minimal: CloudEvent = {
  id: 'c1',
  source: '/shop',
  type: 'payment.capture',
  time: '2028-01-31T10:00:00Z',
  data: { merchant: 'shop' },
};
const complete: CloudEvent = {
  ...minimal,
  subject: 'shop/order-1',
  datacontenttype: 'application/json',
  correlationid: 'corr-1',
  causationid: 'c0',
  sequence: sequenceOf(42n),
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  tracestate: 'a=b',
  data: { text: 'Orléans 𝔘', __proto__: { not: 'ours' } },
};
const structured = (event: object, contentType = 'application/cloudevents+json') => ({
  headers: { 'content-type': contentType },
  value: Buffer.from(JSON.stringify(event)),
});
const pathsOf = (message: { headers: Record<string, string>; value: Buffer | null }) =>
  decodeCloudEvent(message).faults.map(({ path }) => path);

describe('binary mode', () => {
  it('reads back what it wrote', () => {
    expect(decodeCloudEvent(encodeCloudEvent(complete))).toEqual({ event: complete, faults: [] });
    expect(decodeCloudEvent(encodeCloudEvent(minimal))).toEqual({
      event: { ...minimal, datacontenttype: 'application/json' },
      faults: [],
    });
  });

  it('writes ce_ headers, the trace context plainly, and the data alone as the value', () => {
    const { headers, value } = encodeCloudEvent(complete);
    expect(headers).toEqual({
      ce_specversion: '1.0',
      ce_id: 'c1',
      ce_source: '/shop',
      ce_type: 'payment.capture',
      ce_time: '2028-01-31T10:00:00Z',
      ce_subject: 'shop/order-1',
      ce_correlationid: 'corr-1',
      ce_causationid: 'c0',
      ce_sequence: '0000000000000000042',
      'content-type': 'application/json',
      traceparent: complete.traceparent,
      tracestate: 'a=b',
    });
    expect(JSON.parse(value.toString())).toEqual({ text: 'Orléans 𝔘' });
  });

  it('takes the trace context with and without ce_', () => {
    const { headers, value } = encodeCloudEvent(minimal);
    expect(decodeCloudEvent({ headers: { ...headers, ce_traceparent: 'p' }, value }).event).toMatchObject({
      traceparent: 'p',
    });
  });

  it('takes any JSON media type, and none', () => {
    const { headers, value } = encodeCloudEvent(minimal);
    for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/vnd.shop+json']) {
      expect(decodeCloudEvent({ headers: { ...headers, 'content-type': type }, value }).faults).toEqual([]);
    }
    delete headers['content-type'];
    expect(decodeCloudEvent({ headers, value }).faults).toEqual([]);
  });

  it('takes a value behind a byte order mark', () => {
    const { headers, value } = encodeCloudEvent(minimal);
    const marked = Buffer.concat([Buffer.from('\ufeff'), value]);
    expect(decodeCloudEvent({ headers, value: marked })).toMatchObject({ event: minimal, faults: [] });
    const envelope = Buffer.from(`\ufeff${JSON.stringify({ specversion: '1.0', ...minimal })}`);
    expect(decodeCloudEvent({ headers: {}, value: envelope })).toMatchObject({ event: minimal, faults: [] });
  });

  it('names every missing attribute at once, and still gives what was there', () => {
    const decoded = decodeCloudEvent({ headers: { ce_id: 'c1', 'content-type': 'text/plain' }, value: null });
    expect(decoded.faults.map(({ path }) => path)).toEqual([
      'content-type',
      'ce_source',
      'ce_type',
      'ce_time',
      'ce_specversion',
      'data',
    ]);
    expect(decoded.faults.every(({ code }) => code === 'malformed_envelope')).toBe(true);
    expect(decoded.event).toMatchObject({ id: 'c1' });
  });
});

describe('structured mode', () => {
  it('does not look at ce_datacontenttype, which is no header of ours', () => {
    const { headers, value } = structured({ ...complete, specversion: '1.0' });
    for (const contentType of [headers['content-type'], 'application/json'])
      expect(
        decodeCloudEvent({ headers: { 'content-type': contentType, ce_datacontenttype: 'text/json' }, value }).faults,
      ).toEqual([]);
  });

  it('is faulty if a ce_ header differs from the event, because readers of headers would see another event', () => {
    const message = structured({ ...complete, specversion: '1.0' });
    const withHeaders = (more: Record<string, string>) => ({ ...message, headers: { ...message.headers, ...more } });
    expect(pathsOf(withHeaders({ ce_id: complete.id }))).toEqual([]);
    expect(pathsOf(withHeaders({ ce_id: 'another', ce_specversion: '0.3' }))).toEqual(['ce_id', 'ce_specversion']);
  });

  it.each([
    ['content-type', 'application/cloudevents+json'],
    ['content-type', 'application/json'],
    ['x-other', '1'],
  ])('ignores ce_ headers that are not ours (%s: %s)', (name, type) => {
    const value = Buffer.from(JSON.stringify({ specversion: '1.0', ...complete }));
    const headers = { [name]: type, ce_traceparent: complete.traceparent ?? '', ce_partitionkey: 'x' };
    expect(decodeCloudEvent({ headers, value })).toEqual({ event: complete, faults: [] });
  });

  const envelope = { specversion: '1.0', ...complete };

  it('reads the envelope from the value', () => {
    expect(decodeCloudEvent(structured(envelope))).toEqual({ event: complete, faults: [] });
    expect(decodeCloudEvent(structured(envelope, 'application/cloudevents+json; charset=UTF-8')).faults).toEqual([]);
  });

  it('names every fault at once', () => {
    expect(
      pathsOf(structured({ id: '', source: 5, type: 'x', time: 'yesterday', datacontenttype: 'text/xml' })),
    ).toEqual(['id', 'source', 'time', 'specversion', 'datacontenttype', 'data']);
  });

  it.each([[[]], ['text'], [5], [null]])('refuses %j as an envelope', (value) => {
    expect(decodeCloudEvent(structured(value as object)).faults).toMatchObject([
      { path: '', code: 'malformed_envelope' },
    ]);
  });

  it('does not read attributes from a prototype', () => {
    const value = Buffer.from(
      '{"__proto__":{"specversion":"1.0","id":"c1","source":"s","type":"t","time":"2028-01-31T10:00:00Z","data":1}}',
    );
    expect(pathsOf({ headers: { 'content-type': 'application/cloudevents+json' }, value })).toEqual([
      'id',
      'source',
      'type',
      'time',
      'specversion',
      'data',
    ]);
  });

  it.each([
    ['with parameters', { 'content-type': 'application/cloudevents+json; charset=UTF-8; x="y"' }],
    ['in capitals', { 'content-type': 'Application/CloudEvents+JSON' }],
    ['under a name in capitals', { 'Content-Type': 'application/cloudevents+json' }],
    ['as the type of the data, as CloudEvents’ Python SDK writes it', { 'content-type': 'application/json' }],
    ['nowhere', {}],
  ])('is recognised with its content type %s', (_where, headers: Record<string, string>) => {
    const value = Buffer.from(JSON.stringify({ ...envelope, partitionkey: 'shop/order-1' }));
    expect(decodeCloudEvent({ headers, value })).toEqual({ event: complete, faults: [] });
  });

  it('is binary mode where headers have attributes, whatever the data looks like [Ours.envelope]', () => {
    const { headers } = encodeCloudEvent(minimal);
    const value = Buffer.from(JSON.stringify(envelope));
    expect(decodeCloudEvent({ headers, value }).event).toMatchObject({ ...minimal, data: { specversion: '1.0' } });
  });

  it('reads data_base64, which holds the bytes of the data', () => {
    const { data, ...attributes } = envelope;
    const data_base64 = Buffer.from(JSON.stringify(data)).toString('base64');
    expect(decodeCloudEvent(structured({ ...attributes, data_base64 }))).toEqual({ event: complete, faults: [] });
    for (const wrong of [
      { data_base64: 5 },
      { data_base64: '' },
      { data_base64: 'e30', data },
      { data_base64: 'eA==' },
    ])
      expect(pathsOf(structured({ ...attributes, ...wrong }))).toEqual(['data']);
  });

  it('names the command by its headers where the envelope cannot be read', () => {
    const headers = { 'content-type': 'application/cloudevents+json', ce_id: 'c1', ce_type: 'payment.capture' };
    const decoded = decodeCloudEvent({ headers, value: Buffer.from([0, 0, 0, 0, 7, 0x7b, 0x7d]) });
    expect(decoded).toMatchObject({ event: { id: 'c1', type: 'payment.capture' }, faults: [{ path: '' }] });
    expect(decoded.faults[0]?.message).toContain('framed, as by a schema registry');
  });

  it('refuses a batch', () => {
    expect(pathsOf(structured([envelope], 'application/cloudevents-batch+json'))).toContain('content-type');
  });
});

describe('limits of the attributes', () => {
  it.each([
    ['id', 128],
    ['source', 255],
    ['type', 128],
    ['subject', 255],
    ['correlationid', 128],
    ['causationid', 128],
    ['sequence', 64],
  ])('%s has 1 to %d characters', (name, max) => {
    const faults = (value: string) => pathsOf(structured({ specversion: '1.0', ...minimal, [name]: value }));
    expect(faults('x')).toEqual([]);
    expect(faults('𝔘'.repeat(max))).toEqual([]);
    expect(faults('x'.repeat(max + 1))).toEqual([name]);
    expect(faults('')).toEqual([name]);
    expect(faults('a\nb')).toEqual([name]);
  });
});

describe('garbage', () => {
  it.each([
    ['nothing', null],
    ['an empty value', Buffer.alloc(0)],
    ['bytes that are not UTF-8', Buffer.from([0xff, 0xfe, 0x00])],
    ['a JSON text with a byte that is not UTF-8', Buffer.from('"\xff"', 'latin1')],
    ['text', Buffer.from('hello')],
    ['half of a JSON text', Buffer.from('{"a":')],
    ['deep nesting', Buffer.from('['.repeat(100_000))],
  ])('answers %s with faults in both modes', (_name, value) => {
    const { headers } = encodeCloudEvent(minimal);
    expect(pathsOf({ headers, value })).toEqual(['data']);
    expect(pathsOf({ headers: { 'content-type': 'application/cloudevents+json' }, value })).toEqual(['']);
  });

  it('never throws, whatever the headers and the bytes', () => {
    const headers = fc.dictionary(
      fc.oneof(
        fc.constantFrom('content-type', 'ce_id', 'ce_time', 'ce_type', 'ce_specversion', '__proto__', 'constructor'),
        fc.string(),
      ),
      fc.oneof(fc.constantFrom('application/json', 'application/cloudevents+json', '1.0'), fc.string()),
    );
    const value = fc.oneof(
      fc.constant(null),
      fc.uint8Array().map((bytes) => Buffer.from(bytes)),
      fc.json().map((json) => Buffer.from(json)),
    );
    fc.assert(
      fc.property(headers, value, (someHeaders, someValue) => {
        expect(Array.isArray(decodeCloudEvent({ headers: someHeaders, value: someValue }).faults)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('never throws on headers that are not texts', () => {
    const headers = { ce_id: 5, ce_time: null, 'content-type': [] } as unknown as Record<string, string>;
    expect(decodeCloudEvent({ headers, value: Buffer.from('{}') }).faults).not.toEqual([]);
  });
});

/** The CloudEvents project's own SDK checks our encoding. */
describe('beside the CloudEvents SDK', () => {
  it('the SDK reads our events', () => {
    const { headers, value } = encodeCloudEvent(complete);
    const event = Kafka.toEvent({
      headers,
      key: '',
      value: value.toString(),
    } as unknown as KafkaMessage) as SdkCloudEvent;
    expect(event.validate()).toBe(true);
    expect(event).toMatchObject({
      id: 'c1',
      source: '/shop',
      type: 'payment.capture',
      subject: 'shop/order-1',
      correlationid: 'corr-1',
    });
  });

  it.each(['binary', 'structured'] as const)('we read the SDK’s events in %s mode', (mode) => {
    const message = Kafka[mode](
      new SdkCloudEvent({ ...minimal, subject: 'shop/order-1', correlationid: 'corr-1', sequence: '42' }),
    );
    const value = typeof message.value === 'string' ? message.value : JSON.stringify(message.value);
    const decoded = decodeCloudEvent({ headers: message.headers as Record<string, string>, value: Buffer.from(value) });
    expect(decoded.faults).toEqual([]);
    const { time, ...event } = decoded.event ?? {};
    expect(Date.parse(time ?? '')).toBe(Date.parse(complete.time));
    expect(event).toMatchObject({ id: 'c1', source: '/shop', type: 'payment.capture', subject: 'shop/order-1' });
    expect(event).toMatchObject({ correlationid: 'corr-1', sequence: '42', data: minimal.data });
  });
});

it('a sequence rises as text as the offset does', () => {
  const offsets = [0n, 9n, 10n, 123456789n, 9223372036854775807n];
  const sequences = offsets.map((offset) => sequenceOf(offset));
  expect([...sequences].sort()).toEqual(sequences);
  expect(sequences.map(BigInt)).toEqual(offsets);
});

it('a sequence of a later epoch is higher, whatever the offsets, as text and as number', () => {
  const lastOfFirst = sequenceOf(9_999_999_999_999_999n);
  const sequences = [lastOfFirst, sequenceOf(0n, 1), sequenceOf(41n, 1), sequenceOf(0n, HIGHEST_JOURNAL_EPOCH)];
  expect([...sequences].sort()).toEqual(sequences);
  expect(sequences.map((sequence) => sequence.length)).toEqual([19, 19, 19, 19]);
  expect(BigInt(sequenceOf(9_999_999_999_999_999n, HIGHEST_JOURNAL_EPOCH))).toBeLessThan(2n ** 63n);
});
