import type { ReadRecord } from './published-batch.js';
import { ReadAhead } from './read-ahead.js';

const PARTITION = 7;
const MEBIBYTE = 1024 * 1024;

/** A `ReadAhead` that holds so many records. `told`: its calls of the reader. */
function aheadBy(records: number, bytesOfEach = 0) {
  const told: string[] = [];
  const ahead = new ReadAhead(PARTITION, {
    hold: (partition) => told.push(`hold ${partition}`),
    goOn: (partition) => told.push(`go on ${partition}`),
  });
  add(ahead, records, bytesOfEach);
  return { ahead, told };
}

function add(ahead: ReadAhead, records: number, bytesOfEach = 0): void {
  for (let at = 0; at < records; at++) ahead.add({ offset: BigInt(at), bytes: bytesOfEach } as ReadRecord);
}

/** Held by one byte too many, which are removed again: `records` with `bytes` are left. */
function heldBefore(records: number, bytes: number) {
  const { ahead, told } = aheadBy(1, 16 * MEBIBYTE + 1);
  ahead.holdWhereFull();
  ahead.remove(ahead.batch());
  add(ahead, records - 1);
  add(ahead, 1, bytes);
  told.splice(0);
  return { ahead, told };
}

it('gives the oldest thousand records first, and those behind them once these are removed', () => {
  const { ahead } = aheadBy(1_001, 3);
  const batch = ahead.batch();
  expect([batch.length, batch[0]!.offset, batch.at(-1)!.offset]).toEqual([1_000, 0n, 999n]);
  expect([ahead.length, ahead.bytes]).toEqual([1_001, 3_003]);
  ahead.remove(batch);
  expect([ahead.length, ahead.bytes, ahead.batch().map(({ offset }) => offset)]).toEqual([1, 3, [1_000n]]);
});

it('holds nothing any more once it is cleared', () => {
  const { ahead } = aheadBy(2, 3);
  ahead.clear();
  expect([ahead.length, ahead.bytes, ahead.batch()]).toEqual([0, 0, []]);
});

describe('the reader', () => {
  it.each<[string, number, number, string[]]>([
    ['goes on at the last record that has room', 5_000, 0, []],
    ['is held at one record too many', 5_001, 0, [`hold ${PARTITION}`]],
    ['goes on at the last byte that has room', 2, 8 * MEBIBYTE, []],
    ['is held at one byte too many, though the records are few', 1, 16 * MEBIBYTE + 1, [`hold ${PARTITION}`]],
  ])('%s', (_what, records, bytesOfEach, expected) => {
    const { ahead, told } = aheadBy(records, bytesOfEach);
    ahead.holdWhereFull();
    expect(told).toEqual(expected);
  });

  it.each<[string, number, number, string[]]>([
    ['goes on where half the records have room', 2_500, 0, [`go on ${PARTITION}`]],
    ['stays held where one record less than half has room', 2_501, 0, []],
    ['goes on where half the bytes have room', 1, 8 * MEBIBYTE, [`go on ${PARTITION}`]],
    ['stays held where one byte less than half has room', 1, 8 * MEBIBYTE + 1, []],
  ])('%s', (_what, records, bytes, expected) => {
    const { ahead, told } = heldBefore(records, bytes);
    ahead.goOnWhereHalfFree();
    expect(told).toEqual(expected);
  });

  it('is not told to go on where it was never held', () => {
    const { ahead, told } = aheadBy(1);
    ahead.goOn();
    ahead.goOnWhereHalfFree();
    expect(told).toEqual([]);
  });

  it('is told to go on once for each time that it was held, also while there is no room', () => {
    const { ahead, told } = aheadBy(5_001);
    for (let times = 0; times < 2; times++) {
      ahead.holdWhereFull();
      ahead.goOn();
      ahead.goOn();
    }
    const once = [`hold ${PARTITION}`, `go on ${PARTITION}`];
    expect(told).toEqual([...once, ...once]);
  });
});
