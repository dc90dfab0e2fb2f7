import type { ConsumedRecord } from '@tranche/kafka';
import { batchOf } from './topic-projector.js';

const KIB = 1_024;
const waiting = (number: number, bytes: number) =>
  Array.from({ length: number }, () => ({ value: Buffer.alloc(bytes) }) as ConsumedRecord);

it.each([
  ['500 records', 501, 100, 500],
  ['256 KiB', 9, 32 * KIB, 8],
  ['all that waits', 8, 32 * KIB, 8],
  ['one record that is larger', 2, 300 * KIB, 1],
  ['records without a value', 2, 0, 2],
])('a batch takes %s', (_, number, bytes, taken) => {
  expect(batchOf(waiting(number, bytes))).toHaveLength(taken);
});
