import { decodeRecord, recordHash, type JournalRecord } from '../state/records.js';

export interface DecodedRecord {
  record: JournalRecord;
  /** `recordHash` of the stored bytes. */
  hash: string;
}

/** By the stored bytes: the tail and the projector of a process are given the same, and nobody changes them. */
const known = new WeakMap<Buffer, DecodedRecord>();

/**
 * What stored bytes say. Each record is decoded once in a process, however many read it.
 * @throws UnreadableJournalError
 */
export function readRecord(value: Buffer | null): DecodedRecord {
  const before = value === null ? undefined : known.get(value);
  if (before !== undefined) return before;
  const read = { record: decodeRecord(value), hash: recordHash(value) };
  if (value !== null) known.set(value, read);
  return read;
}
