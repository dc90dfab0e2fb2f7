import type { ConsumedRecord } from './consumed-record.js';
import { TailBuffer } from './tail-buffer.js';

const record = (offset: number, bytes = 10): ConsumedRecord => ({
  ...{ topic: 'journal', partition: 0, offset: BigInt(offset), key: 'k', rawKey: null, timestampMs: 0 },
  value: Buffer.alloc(bytes),
  headers: {},
});
const offsetsFrom = (buffer: TailBuffer, offset: bigint, most = 100) =>
  buffer.recordsFrom(0, offset, most).map((one) => Number(one.offset));

function buffer(...bounds: ConstructorParameters<typeof TailBuffer>): TailBuffer {
  const made = new TailBuffer(...bounds);
  made.begin(0, 5n);
  made.keep([0]);
  return made;
}

it('covers what the tail has read and what it reads next, and nothing before the tail began', () => {
  const made = buffer();
  expect([4n, 5n, 6n].map((offset) => made.covers(0, offset))).toEqual([false, true, false]);
  expect(made.covers(1, 5n)).toBe(false);
  made.add(0, [record(5), record(8)]);
  expect([4n, 5n, 7n, 9n, 10n].map((offset) => made.covers(0, offset))).toEqual([false, true, true, true, false]);
  expect([offsetsFrom(made, 5n), offsetsFrom(made, 6n), offsetsFrom(made, 9n), offsetsFrom(made, 5n, 1)]).toEqual([
    [5, 8],
    [8],
    [],
    [5],
  ]);
});

it('takes no record twice', () => {
  const made = buffer();
  made.add(0, [record(5), record(6)]);
  made.add(0, [record(6), record(7)]);
  expect(offsetsFrom(made, 0n)).toEqual([5, 6, 7]);
});

it('lets the oldest go where there are too many records or bytes, and does not cover them any more', () => {
  const few = buffer({ records: 2, bytes: 10_000 });
  few.add(0, [record(5), record(6), record(7)]);
  expect([offsetsFrom(few, 0n), few.covers(0, 5n), few.covers(0, 6n)]).toEqual([[6, 7], false, true]);
  const small = buffer({ records: 9, bytes: 1_000 });
  small.add(0, [record(5, 500), record(6, 500), record(7, 2_000)]);
  expect([offsetsFrom(small, 0n), small.size, small.covers(0, 8n)]).toEqual([[], { records: 0, bytes: 0 }, true]);
});

it("keeps no records of a partition without a consumer here, but knows its tail's position", () => {
  const made = buffer();
  made.add(0, [record(5)]);
  made.keep([]);
  made.add(0, [record(6)]);
  expect([made.size.records, made.covers(0, 5n), made.covers(0, 6n), made.covers(0, 7n)]).toEqual([
    0,
    false,
    false,
    true,
  ]);
});

it('lets go of what was committed', () => {
  const made = buffer();
  made.add(0, [record(5), record(6), record(7)]);
  made.drop(0, 7n);
  expect([offsetsFrom(made, 0n), made.covers(0, 6n), made.covers(0, 7n)]).toEqual([[7], false, true]);
});
