import { intent, journalOf, projection, redirect } from '../../test/projector-world.js';

const settled = async (done: () => boolean) => {
  for (let turns = 0; turns < 1_000 && !done(); turns++) await new Promise((resolve) => setImmediate(resolve));
};
/** Records 0 and 1 are in the journal. Another process projects them, and has published the first `count`. */
const published = (count: bigint) => new Map([[3, count]]);

it('builds the index of a partition that another process projects into another one, up to what that has published, and publishes nothing', async () => {
  const { index, projector, published: events } = projection({ journal: journalOf([intent, redirect]) });
  await projector.pollOthers(published(1n));
  expect(index.marker).toBeUndefined();
  await projector.pollOthers(published(1n));
  await settled(() => index.marker !== undefined);
  expect([index.marker, events]).toEqual([0n, []]);
  // The other process publishes more, and this index does not move.
  await projector.pollOthers(published(2n));
  await projector.pollOthers(published(2n));
  await settled(() => index.marker === 1n);
  expect([index.marker, events]).toEqual([1n, []]);
});

it('leaves an index alone that moves, is this process’s own, or whose records are not published', async () => {
  const { index, projector, assign } = projection({ journal: journalOf([intent, redirect]) });
  await projector.pollOthers(published(0n));
  await projector.pollOthers(published(0n));
  index.marker = 0n;
  await projector.pollOthers(published(2n));
  index.marker = 1n;
  await projector.pollOthers(published(3n));
  index.marker = undefined;
  assign();
  await projector.pollOthers(published(2n));
  await projector.pollOthers(published(2n));
  await settled(() => index.marker !== undefined);
  expect([index.marker, projector.restoring]).toEqual([undefined, []]);
});

it('leaves an index alone whose next record was deleted unpublished: it would pass what nobody was told', async () => {
  const journal = { ...journalOf([]), firstKept: () => Promise.resolve(6n) };
  const { index, projector } = projection({ journal });
  for (let looks = 0; looks < 3; looks++) await projector.pollOthers(published(2n));
  await settled(() => index.marker !== undefined);
  expect(index.marker).toBeUndefined();
});

it('takes away a marker that can not be verified where the partition is this process’s own, and never one of another process', async () => {
  const { index, projector, assign } = projection({ journal: journalOf([intent, redirect]) });
  await projector.pollOthers(published(2n));
  await projector.pollOthers(published(2n));
  await settled(() => index.marker !== undefined);
  expect([index.marker, index.dropped]).toEqual([1n, []]);
  index.lose();
  await assign().startOffset(2n, 0n);
  await settled(() => index.marker !== undefined);
  expect([index.marker, index.dropped]).toEqual([1n, [3]]);
});

it('leaves an index of another process alone that it can not verify: its own keys may be wrong, and the index whole', async () => {
  const { index, projector, warned } = projection({ journal: journalOf([intent, redirect]) });
  index.hasUnverified = true;
  for (let looks = 0; looks < 3; looks++) {
    await projector.pollOthers(published(2n));
    await settled(() => false);
    expect([projector.restoring, index.begun, warned]).toEqual([[], 0, []]);
  }
});

it('warns once of an index that is restored, however often it looks whether another process has built it', async () => {
  const { index, projector, warned } = projection({ journal: journalOf([intent, redirect]) });
  index.isRebuiltElsewhere = true;
  await projector.pollOthers(published(2n));
  await projector.pollOthers(published(2n));
  await settled(() => index.begun > 20);
  expect([projector.restoring, warned]).toEqual([[3], ['The index is lost and is rebuilt from the journal']]);
  index.marker = 1n;
  await settled(() => projector.restoring.length === 0);
  expect(projector.restoring).toEqual([]);
});

it('ends a restoration of another process’s index once that has a marker that it can not verify', async () => {
  const { index, projector, warned } = projection({ journal: journalOf([intent, redirect]) });
  index.isRebuiltElsewhere = true;
  await projector.pollOthers(published(2n));
  await projector.pollOthers(published(2n));
  await settled(() => index.begun > 2);
  index.hasUnverified = true;
  await settled(() => projector.restoring.length === 0);
  expect([projector.restoring, warned.length]).toEqual([[], 2]);
});
