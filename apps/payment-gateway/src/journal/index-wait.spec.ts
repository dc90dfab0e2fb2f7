import { IndexWait, STANDS_STILL_MS } from './index-wait.js';

const marks = (...markers: (bigint | undefined)[]) =>
  new Map(markers.flatMap((marker, partition) => (marker === undefined ? [] : [[partition, { marker }] as const])));
const isStopped = () => false;
/** Partitions with offsets from 0 to the given ends. */
const waitFor = (...ends: bigint[]) =>
  new IndexWait(new Map(ends.map((high, partition) => [partition, { low: 0n, high }])), 100);

it('leaves no partition out while another one is being built: both may wait for the same thing', () => {
  const wait = waitFor(1_000n, 1_000n);
  wait.look(marks(9n, undefined), 0, isStopped);
  expect(wait.look(marks(9n, undefined), STANDS_STILL_MS, isStopped)).toEqual({ behind: 1_990n, left: new Map() });
});

it('leaves out a partition that stands still, and none that stands still and is nearly built', () => {
  const wait = waitFor(1_000n, 1_000n, 1_000n);
  const seen = marks(899n, 9n, 990n);
  expect(wait.look(seen, 0, isStopped).left.size).toBe(0);
  expect(wait.look(seen, STANDS_STILL_MS - 1, isStopped).left.size).toBe(0);
  const { behind, left } = wait.look(seen, STANDS_STILL_MS, isStopped);
  expect([behind, [...left.keys()]]).toEqual([9n, [1, 0]]);
});

it('leaves out a partition without a marker where its projector has stopped in this process', () => {
  const wait = waitFor(1_000n, 5n);
  expect([...wait.look(marks(undefined, 4n), 0, (partition) => partition === 0).left.keys()]).toEqual([0]);
});
