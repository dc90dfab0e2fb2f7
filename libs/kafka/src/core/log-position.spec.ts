import { BEHIND_AT_MOST_MS, LogPosition } from './log-position.js';

const record = (offset: bigint, text = `r${offset}`) => ({ offset, value: Buffer.from(text) });
/** A position that has read 5, 6 and 7. */
function position(): LogPosition {
  const at = new LogPosition('journal/3', 5n);
  at.take([record(5n), record(6n), record(7n)], 5n, 8n);
  return at;
}
const offsets = (records: { offset: bigint }[] | undefined) => records?.map(({ offset }) => offset);

it('reads on where it stands, over gaps too', () => {
  const at = position();
  expect(offsets(at.take([record(9n)], 8n, 11n))).toEqual([9n]);
  expect([at.next, at.fetchFrom, at.fault]).toEqual([11n, 11n, undefined]);
});

it.each([0n, 7n, 9n])('takes nothing that was fetched from %s instead of 8: kafkajs began elsewhere', (from) => {
  const at = position();
  expect(at.take([record(from), record(12n)], from, 13n)).toBeUndefined();
  expect([at.next, at.fault]).toEqual([8n, undefined]);
});

it('after a disturbance reads the last record again without delivering it, and continues if it is the same', () => {
  const at = position();
  at.doubt();
  expect(at.fetchFrom).toBe(7n);
  expect(offsets(at.take([record(7n), record(8n)], 7n, 9n))).toEqual([8n]);
  expect([at.fetchFrom, at.fault]).toEqual([9n, undefined]);
});

it.each([
  ['is another one', [record(7n, 'other'), record(8n)]],
  ['is gone', [record(8n)]],
])('stops where the last record %s', (_what, records) => {
  const at = position();
  at.doubt();
  expect(at.take(records, 7n, 9n)).toBeUndefined();
  expect(at.fault).toContain('the record at offset 7 of journal/3, which was read before, is another one');
  expect(at.take([record(9n)], 9n, 10n)).toBeUndefined();
});

describe('an answer that may be of another log', () => {
  it('is not taken; the next fetch begins with the last record, and is taken if that is the same', () => {
    const at = position();
    at.doubt();
    expect(at.take([record(8n), record(9n)], 8n, 10n)).toBeUndefined();
    expect([at.fetchFrom, at.next]).toEqual([7n, 8n]);
    const again = [7n, 8n, 9n, 10n].map((offset) => record(offset));
    expect(offsets(at.take(again, 7n, 11n))).toEqual([8n, 9n, 10n]);
    expect(at.fetchFrom).toBe(11n);
  });

  it('is taken though each one is doubted: the one that begins with the last record proves itself', () => {
    const at = position();
    for (const offset of [8n, 9n]) {
      at.doubt();
      expect(at.take([record(offset)], offset, offset + 1n)).toBeUndefined();
      at.doubt();
      expect(offsets(at.take([record(offset - 1n), record(offset)], offset - 1n, offset + 1n))).toEqual([offset]);
    }
  });

  it('is taken where nothing was read before', () => {
    const fresh = new LogPosition('journal/4', 5n);
    fresh.doubt();
    expect(offsets(fresh.take([record(5n)], 5n, 6n))).toEqual([5n]);
  });
});

it('stops where records were deleted before they were read', () => {
  const at = position();
  at.compare({ low: 9n, high: 20n }, 0);
  expect(at.fault).toContain('begins at 9: the records from 8 on were deleted before they were read');
  expect(at.isCut).toBe(true);
});

it('is content where everything that was read has been deleted after its time, and nothing is kept', () => {
  const at = position();
  at.doubt();
  at.compare({ low: 8n, high: 8n }, 0);
  expect([at.fault, at.fetchFrom, at.isBehind]).toEqual([undefined, 8n, false]);
});

it('waits while the high watermark is behind what was read, and compares the last record when it has passed', () => {
  const at = position();
  at.compare({ low: 0n, high: 6n }, 1_000);
  at.compare({ low: 0n, high: 7n }, 1_000 + BEHIND_AT_MOST_MS - 1);
  expect([at.isBehind, at.fault]).toEqual([true, undefined]);
  at.compare({ low: 0n, high: 8n }, 1_000 + BEHIND_AT_MOST_MS);
  expect([at.isBehind, at.fault, at.fetchFrom]).toEqual([false, undefined, 7n]);
});

it('stops where the high watermark stays behind what was read', () => {
  const at = position();
  at.compare({ low: 0n, high: 0n }, 1_000);
  at.compare({ low: 0n, high: 7n }, 1_000 + BEHIND_AT_MOST_MS);
  expect(at.fault).toContain('ends at 7, before offset 8 that was read already: the log was lost or replaced');
});

it('is not behind for what it read while the broker was asked', () => {
  const at = position();
  const { asked } = at;
  at.take([record(8n)], 8n, 9n);
  at.compare({ low: 0n, high: 8n }, 0, asked);
  expect(at.isBehind).toBe(false);
});

it('stops if the log was shorter for a while, even if it had outgrown the position before that was noticed', () => {
  const at = position();
  const { asked } = at;
  // Meanwhile the log lost 7 and got another record there; the next record is already one of the new log.
  at.take([record(8n, 'new')], 8n, 9n);
  at.compare({ low: 0n, high: 6n }, 0, asked);
  expect(at.isBehind).toBe(true);
  at.compare({ low: 0n, high: 9n }, 5_000);
  expect([at.isBehind, at.fetchFrom]).toEqual([false, 7n]);
  expect(at.take([record(7n, 'new'), record(8n, 'new')], 7n, 9n)).toBeUndefined();
  expect(at.fault).toContain('the record at offset 7 of journal/3, which was read before, is another one');
});

it('continues if that record is the same: the high watermark only lagged behind', () => {
  const at = position();
  const { asked } = at;
  at.take([record(8n)], 8n, 9n);
  at.compare({ low: 0n, high: 7n }, 0, asked);
  at.compare({ low: 0n, high: 9n }, 5_000);
  expect(offsets(at.take([record(7n), record(8n)], 7n, 9n))).toEqual([]);
  expect([at.fault, at.fetchFrom]).toEqual([undefined, 9n]);
});

it('checks no record that has been deleted after its time', () => {
  const at = position();
  const { asked } = at;
  at.take([record(8n)], 8n, 9n);
  at.compare({ low: 0n, high: 7n }, 0, asked);
  at.compare({ low: 8n, high: 9n }, 5_000);
  expect([at.fault, at.fetchFrom]).toEqual([undefined, 8n]);
});

it('compares the last record where a fetch was answered from elsewhere: the log may have been shorter, and have grown since', () => {
  const at = position();
  // The log was recreated, so the fetch from 8 was out of range; by now it has as many records as were read.
  expect(at.take([record(0n, 'new')], 0n, 1n)).toBeUndefined();
  expect(at.fetchFrom).toBe(7n);
  at.compare({ low: 0n, high: 9n }, 0);
  expect(at.fault).toBeUndefined();
  expect(at.take([record(7n, 'new'), record(8n, 'new')], 7n, 9n)).toBeUndefined();
  expect(at.fault).toContain('the record at offset 7 of journal/3, which was read before, is another one');
});

it('takes nothing while the log ends before what was read, and compares the last record then', () => {
  const at = position();
  at.compare({ low: 0n, high: 7n }, 0);
  expect(at.take([record(8n, 'new')], 8n, 9n)).toBeUndefined();
  at.compare({ low: 0n, high: 8n }, 1_000);
  expect([at.isBehind, at.fetchFrom]).toEqual([false, 7n]);
  expect(at.take([record(8n)], 8n, 9n)).toBeUndefined();
  expect(offsets(at.take([record(7n), record(8n)], 7n, 9n))).toEqual([8n]);
});

it('stops where the log is gone for as long', () => {
  const at = position();
  at.compare(undefined, 1_000);
  expect([at.isBehind, at.fault]).toEqual([true, undefined]);
  at.compare(undefined, 1_000 + BEHIND_AT_MOST_MS);
  expect(at.fault).toContain(
    'journal/3 does not exist any more, and was read to offset 8: the log was lost or replaced',
  );
});

it.each([
  ['ends before what is known of it', { low: 0n, high: 6n }, { isBehind: true, next: 4n, fault: undefined }],
  [
    'begins behind what is known of it',
    { low: 8n, high: 9n },
    { isBehind: false, next: 4n, fault: expect.stringContaining('begins at 8') as string },
  ],
  ['has lost records that are known', { low: 6n, high: 9n }, { isBehind: false, next: 6n, fault: undefined }],
])('begins in a log that %s', (_what, bounds, expected) => {
  const at = new LogPosition('journal/3', 4n, 7n);
  at.compare(bounds, 0);
  expect(at).toMatchObject({ isBehind: expected.isBehind, next: expected.next });
  expect(at.fault).toEqual(expected.fault);
});

it('begins with the first kept record where retention deleted what is known from elsewhere, while it began', () => {
  const position = new LogPosition('journal/3', 4n, 7n);
  position.compare({ low: 6n, high: 9n }, 0);
  expect([position.fault, position.fetchFrom]).toEqual([undefined, 6n]);
  position.compare({ low: 8n, high: 9n }, 0);
  expect(position.fault).toContain('were deleted before they were read');
});
