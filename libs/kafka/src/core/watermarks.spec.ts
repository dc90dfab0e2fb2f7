import type { ConsumedRecord } from './record.js';
import { hasRoom, isFull, roomFor, type Watermarks } from './assigned-partition.js';

const marks: Watermarks = { records: 100, bytes: 10_000, span: 1000, allRecords: 300, allBytes: 30_000 };
const nothing = { records: 0, bytes: 0, span: 0 };
const others =
  (records: number, bytes = 0) =>
  () => ({ records, bytes, partitions: 10 });

describe('the marks of a backlog', () => {
  it.each([
    [{ records: 99 }, 99, false],
    [{ records: 100 }, 100, true],
    [{ bytes: 9999 }, 99, false],
    [{ bytes: 10_000 }, 99, true],
    [{ span: 999 }, 99, false],
    [{ span: 1000 }, 99, true],
    [{ records: 30 }, 299, false],
    [{ records: 30 }, 300, true],
    [{ records: 29 }, 300, false],
  ])('%j, %i records in all: full is %s', (part, all, expected) =>
    expect(isFull({ ...nothing, ...part }, others(all), marks)).toBe(expected),
  );

  it.each([
    [{ records: 49 }, 49, true],
    [{ records: 50 }, 50, false],
    [{ bytes: 5000 }, 49, false],
    [{ span: 500 }, 49, false],
    [{ records: 15 }, 150, false],
    [{ records: 15 }, 149, true],
    [{ records: 14 }, 150, true],
  ])('%j, %i records in all: room again is %s', (part, all, expected) =>
    expect(hasRoom({ ...nothing, ...part }, others(all), marks)).toBe(expected),
  );
});

describe('what is taken of a fetch', () => {
  const fetched = (count: number, { from = 0, step = 1, bytes = 0 } = {}) =>
    Array.from(
      { length: count },
      (_, i) => ({ offset: BigInt(from + i * step), value: Buffer.alloc(bytes), rawKey: null }) as ConsumedRecord,
    );

  it.each([
    ['all of it', fetched(50), nothing, 50],
    ['twice the mark of records', fetched(500), nothing, 200],
    ['nothing beyond the span', fetched(100), { ...nothing, span: 990 }, 10],
    ['the first one across a gap, alone', fetched(2, { step: 5000 }), nothing, 1],
    ['at least one that is very large', fetched(3, { bytes: 90_000 }), nothing, 1],
    ['nothing', fetched(1), { ...nothing, span: 1000 }, 0],
  ])('%s', (_what, records, backlog, expected) =>
    expect(roomFor(records, backlog, { ...marks, bytes: 40_000 })).toBe(expected),
  );
});
