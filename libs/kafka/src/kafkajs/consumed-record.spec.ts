import type { KafkaMessage } from './kafka-client.js';
import { consumedRecord } from './consumed-record.js';

const message = (headers: Record<string, Buffer | Buffer[]>): KafkaMessage => ({
  ...{ key: null, value: null, offset: '7', timestamp: '1772359200000', attributes: 0 },
  headers,
});

it('names the headers that are there more than once, and shows the first value of each', () => {
  const record = consumedRecord('t', 0, message({ a: [Buffer.from('1'), Buffer.from('2')], b: Buffer.from('3') }));
  expect({ ...record.headers }).toEqual({ a: '1', b: '3' });
  expect(record.repeatedHeaders).toEqual(['a']);
  expect(consumedRecord('t', 0, message({ b: Buffer.from('3') })).repeatedHeaders).toBeUndefined();
});

it('shows nothing of a record that is longer than it may be, and says why', () => {
  const [key, value] = [Buffer.from('key'), Buffer.from('1234567')];
  const long = { ...message({ a: Buffer.from('1') }), key, value };
  expect(consumedRecord('t', 0, long, 10)).toMatchObject({ key: 'key', value });
  const record = consumedRecord('t', 0, long, 9);
  expect(record).toMatchObject({ offset: 7n, key: null, rawKey: null, value: null, timestampMs: 1772359200000 });
  expect(record.unreadable).toBe('the record has more than 9 bytes');
  expect({ ...record.headers }).toEqual({});
});

/** Headers as kafkajs builds them: it takes an inherited property for an earlier value of that name. */
const asKafkajsGives = (headers: object) => message(headers as Record<string, Buffer>);

it('takes a header whose value is null for an absent one, and keeps it for a copy', () => {
  const [id, bytes] = [Buffer.from('id'), Buffer.from([0xff, 0xfe])];
  const record = consumedRecord('t', 0, asKafkajsGives({ 'x-trace': null, ce_id: [null, id, null], own: bytes }));
  expect({ ...record.headers }).toEqual({ ce_id: 'id', own: '\ufffd\ufffd' });
  expect(record).not.toHaveProperty('repeatedHeaders');
  expect({ ...record.rawHeaders }).toEqual({ 'x-trace': [null], ce_id: [null, id, null], own: [bytes] });
  expect(consumedRecord('t', 0, asKafkajsGives({ ce_id: id }))).not.toHaveProperty('rawHeaders');
});

it.each(['constructor', 'toString', 'hasOwnProperty', '__proto__'])('reads a header called %s as any other', (name) => {
  const inherited: unknown = ({} as Record<string, unknown>)[name];
  const record = consumedRecord('t', 0, asKafkajsGives({ ['__proto__']: null, [name]: [inherited, Buffer.from('1')] }));
  expect(Object.entries(record.headers)).toEqual([[name, '1']]);
  expect(record).not.toHaveProperty('repeatedHeaders');
});

it('makes an unreadable record of what it cannot read, and throws nothing', () => {
  const record = consumedRecord('t', 0, { ...message({}), key: 5 as never });
  expect(record).toMatchObject({ offset: 7n, key: null, value: null });
  expect(record.unreadable).toMatch(/^reading the record failed: /);
});
