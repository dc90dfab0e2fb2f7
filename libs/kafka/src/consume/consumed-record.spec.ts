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
