import type { KafkaMessage } from '../kafkajs/kafkajs.js';
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
