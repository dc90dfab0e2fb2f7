import { encodeRecord, RULES_VERSION, recordHash, UnreadableJournalError } from '../state/records.js';
import { readRecord } from './read-record.js';

const at = '2026-11-25T10:00:00.000Z';
const record = { record: 'REMINDED', rulesVersion: RULES_VERSION, merchant: 'shop', orderId: 'o1', at } as never;

it('decodes stored bytes once, however many read them', () => {
  const value = encodeRecord(record);
  const first = readRecord(value);
  expect(first).toEqual({ record, hash: recordHash(value) });
  expect(readRecord(value)).toBe(first);
});

it('knows bytes by where they lie, not by what they say', () => {
  const other = encodeRecord(record);
  expect(readRecord(other)).not.toBe(readRecord(encodeRecord(record)));
});

it.each([null, Buffer.from('{'), Buffer.from('{"record":"?","rulesVersion":1}')])(
  'refuses %p each time that it is read',
  (value) => {
    for (let reads = 0; reads < 2; reads++) expect(() => readRecord(value)).toThrow(UnreadableJournalError);
  },
);
