import { intent, inOrder, redirect, repeated } from '../../test/journal-records.js';
import { OneOwner, PARTITION } from '../../test/one-owner.js';
import { Seeded } from '../../test/rules-lock/seeded.js';
import { OrderUnreadableError } from '../journal/journal-faults.js';
import { fold } from '../state/fold.js';
import { historyOf } from '../state/history.js';
import { emptyOrder, isEmptyOrder } from '../state/order-state.js';
import { recordHash, type Intent, type JournalRecord } from '../state/records.js';
import { snapshotOf } from '../state/snapshot.js';

const granted = intent as Intent;
const outcome: JournalRecord = {
  ...{ record: 'OUTCOME', ...inOrder, commandId: 'a', attempt: 1, token: 't', result: 'refused', answer: {} },
};
const EMPTY = emptyOrder(inOrder.merchant, inOrder.orderId);
const never = new AbortController().signal;
const typesOf = ({ published }: OneOwner) => published.map(({ type }) => type);

it('publishes the events of a batch, then moves the index, then lets the group commit', async () => {
  const one = await new OneOwner({ records: [intent, redirect] }).settled();
  expect(one.steps.slice(-3)).toEqual(['events 1', 'index 1', 'commit 2']);
  expect(typesOf(one)).toEqual(['payment.authorize.redirect_required']);
});

it('leaves the index where it is until Kafka has taken the events, and publishes them again', async () => {
  const refused: string[] = [];
  const did = (what: string) => {
    if (!what.startsWith('events') || refused.length === 3) return;
    refused.push(what);
    throw new Error('Kafka is away');
  };
  const one = await new OneOwner({ records: [intent, redirect], did }).settled();
  expect(refused).toEqual(['events 1', 'events 1', 'events 1']);
  expect([one.index.marker, one.published.length]).toEqual([1n, 1]);
});

it('publishes a batch once though the index does not take it at first', async () => {
  let failures = 0;
  const did = (what: string) => {
    if (what.startsWith('index') && failures++ < 3) throw new Error('Redis is full');
  };
  const one = await new OneOwner({ records: [intent, redirect], did }).settled();
  expect([failures, one.published.length, one.index.marker]).toEqual([4, 1, 1n]);
});

it('serves at the end of a log whose last offsets have no records, which its reader tells of', async () => {
  const one = await new OneOwner({ records: [intent, redirect], withoutRecords: 2n }).settled();
  expect(one.owner.state).toBe('catch_up');
  await one.bring();
  await one.settled();
  expect([one.owner.state, one.owner.position, one.owner.published]).toEqual(['serve', 4n, 2n]);
});

it('gives a repeat its REDIRECTHTML though the page came in the same batch', async () => {
  const one = await new OneOwner({ records: [intent, redirect, repeated] }).settled();
  expect(one.published.map(({ data }) => data.redirectHtml)).toEqual(['PGE+', 'PGE+']);
});

describe('a redirect that is published again', () => {
  const after = (hours: number): JournalRecord => ({
    ...repeated,
    at: new Date(Date.parse(inOrder.at) + hours * 3_600_000).toISOString(),
  });
  const contents = ({ published }: OneOwner) =>
    published.map(({ data }) => data.redirectHtml ?? data.redirectHtmlDropped);

  it('is not published while its page is missing; after a day it says that there is none', async () => {
    const one = await new OneOwner({ records: [intent, redirect] }).settled();
    one.index.pages.clear();
    for (const hours of [1, 23, 25]) {
      one.append(after(hours));
      await one.settled();
    }
    expect(contents(one)).toEqual(['PGE+', true]);
    expect(new Set(one.published.map(({ id }) => id)).size).toBe(1);
  });

  it('has one content under its id for a day, though Redis is flushed at random moments', async () => {
    let repeats = 0;
    for (let seed = 0; seed < 40; seed++) {
      const random = new Seeded(seed);
      const one = await new OneOwner({ records: [intent, redirect] }).settled();
      for (let hours = 1; hours < 24; hours += 1 + random.below(5)) {
        if (random.chance(0.4)) one.index.pages.clear();
        if (random.chance(0.4)) one.index.lose();
        for (let times = random.below(3); times >= 0; times--) one.append(after(hours));
        if (random.chance(0.7)) await one.settled();
      }
      await one.settled();
      expect(new Set(contents(one))).toEqual(new Set(['PGE+']));
      repeats += one.published.length - 1;
    }
    expect(repeats).toBeGreaterThan(50);
  });
});

describe('a snapshot that differs from the records of its order', () => {
  const order = [intent, outcome].reduce((state, record, at) => fold(state, record, BigInt(at)).order, EMPTY);
  const state = { ...snapshotOf(order, inOrder.at), movedAt: '2026-03-02T10:00:00.000Z' };
  const records = [intent, outcome, { record: 'SNAPSHOT', ...inOrder, seen: historyOf(order), state } as JournalRecord];

  it('is reported once by the owner that reads it, which goes on and holds the written state', async () => {
    const one = await new OneOwner({ records }).settled();
    expect(one.steps.filter((step) => step.startsWith('mismatch'))).toEqual(['mismatch movedAt']);
    expect([one.owner.state, one.index.orders.get('shop-fr/o')?.movedAt]).toEqual(['serve', state.movedAt]);
  });

  it('is reported by a rebuild of the index too', async () => {
    const one = await new OneOwner({ records, committed: 3n }).settled();
    expect(one.steps.filter((step) => step.startsWith('mismatch'))).toEqual(['mismatch movedAt']);
    expect(one.index.orders.get('shop-fr/o')?.movedAt).toBe(state.movedAt);
  });
});

it('serves once it has read what the log had when it was placed, and answers nothing before', async () => {
  const one = new OneOwner({ records: [intent, redirect], marker: 0n });
  one.isReaderLate = true;
  await one.settled();
  expect(one.owner.state).toBe('catch_up');
  await expect(one.journal.read('shop-fr', 'o')).rejects.toThrow('is finding out where to begin');
  one.isReaderLate = false;
  await one.bring();
  await one.settled();
  expect(one.owner.state).toBe('serve');
});

it('serves once it has compared the record that the index holds last, also where the log has no other one', async () => {
  const one = new OneOwner({ records: [intent], marker: 0n });
  one.isReaderLate = true;
  await one.settled();
  expect(one.owner.state).toBe('catch_up');
  one.isReaderLate = false;
  await one.bring();
  await one.settled();
  expect(one.owner.state).toBe('serve');
});

it('is placed again where a check before it fails once', async () => {
  let checks = 0;
  const assertCurrent = () => (++checks === 1 ? Promise.reject(new Error('not now')) : Promise.resolve());
  const one = await new OneOwner({ records: [intent, redirect], assertCurrent }).settled();
  expect([checks, one.owner.state, one.published.length]).toEqual([2, 'serve', 1]);
});

it('ends a drain that began before it was placed anew', async () => {
  let isHeld = true;
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const did = (what: string) => (what.startsWith('index') && isHeld ? held : undefined);
  const one = await new OneOwner({ records: [intent, redirect], did }).settled();
  const drained = one.owner.settled().then(() => 'drained');
  isHeld = false;
  one.index.lose();
  release();
  expect(await drained).toBe('drained');
});

it('is drained before it serves only when the batch under way is in the index', async () => {
  let letGo: () => void = () => undefined;
  const did = (what: string) => (what === 'events 1' ? new Promise<void>((resolve) => (letGo = resolve)) : undefined);
  const one = new OneOwner({ records: [intent, redirect, repeated, repeated], did });
  one.readsAtMost = 2;
  await one.settled();
  void one.owner.settled().then(() => one.steps.push('drained'));
  one.readsAtMost = 3;
  await one.bring();
  await one.settled();
  letGo();
  await one.settled();
  expect([one.owner.state, one.steps]).toEqual([
    'catch_up',
    ['commit 0', 'events 1', 'index 1', 'commit 2', 'drained'],
  ]);
});

it('counts the bytes of what the index lacks with its pages, and none once it has them', async () => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const did = (what: string) => (what.startsWith('events') ? held : undefined);
  const one = await new OneOwner({ records: [intent, redirect], did }).settled();
  const bytes = one.log.reduce((sum, { value }) => sum + value!.length, 0);
  expect(one.owner.backlog).toMatchObject({ records: 2, bytes });
  release();
  await one.settled();
  expect(one.owner.backlog).toMatchObject({ records: 0, bytes: 0 });
});

describe('an index that is lost', () => {
  it('is built anew up to what was published, without a marker before its end, and nothing is published again', async () => {
    const one = await new OneOwner({ records: [intent, redirect], committed: 2n }).settled();
    expect([one.published, one.index.marker, one.index.seen]).toEqual([[], 1n, [undefined, undefined, undefined]]);
    expect(one.index.orders.size).toBe(1);
  });

  it('stops its partition at a record that can not be read, and says how it is skipped', async () => {
    const other = { record: 'OTHER', ...inOrder } as unknown as JournalRecord;
    const one = await new OneOwner({ records: [intent, other, redirect], committed: 3n }).settled();
    expect(one.owner.state).toBe('stopped');
    expect(one.owner.stoppedBecause).toContain('stopped at offset 1');
    expect(one.owner.stoppedBecause).toContain(`tranche journal skip --partition ${PARTITION} --offset 1`);
  });

  it('is never finished beyond what was published, so that its reader finds records that retention deletes meanwhile', async () => {
    const one = new OneOwner({ records: [intent, redirect, repeated], low: 5n, committed: 5n });
    one.isReaderLate = true;
    one.onBounds = () => (one.low = 7n);
    await one.settled();
    expect(one.index.marker).toBe(4n);
  });

  it('keeps REDIRECTHTML for the rest of its day', async () => {
    const one = await new OneOwner({ records: [intent, redirect], committed: 2n }).settled();
    expect(one.index.pages).toEqual(new Map([['a', 'PGE+']]));
    const nextDay = { records: [intent, redirect], committed: 2n, nowMs: Date.parse(inOrder.at) + 86_400_000 };
    expect((await new OneOwner(nextDay).settled()).index.pages.size).toBe(0);
  });

  it('while it serves is found though no record comes, and what memory held is read again', async () => {
    const one = await new OneOwner({ records: [intent, redirect] }).settled();
    const { follows } = one;
    one.index.lose();
    one.owner.doubtIndex();
    await one.settled();
    expect([one.follows, one.owner.state, one.index.marker]).toEqual([follows + 1, 'serve', 1n]);
    expect(one.published).toHaveLength(1);
  });

  it('is brought up where an older copy was put back though no record comes', async () => {
    const one = await new OneOwner({ records: [intent] }).settled();
    const { marker, hash, orders } = one.index;
    const older = { marker, hash, orders: new Map(orders) };
    one.append(redirect);
    await one.settled();
    const { follows } = one;
    const newest = [...one.index.orders.values()];
    one.owner.doubtIndex(1n);
    await one.settled();
    expect(one.follows).toBe(follows);
    Object.assign(one.index, older);
    one.owner.doubtIndex(older.marker);
    await one.settled();
    expect([one.follows, one.owner.state, one.index.marker]).toEqual([follows + 1, 'serve', 1n]);
    expect([...one.index.orders.values()]).toEqual(newest);
    expect(one.published).toHaveLength(1);
  });

  it('is waited for while another process builds it', async () => {
    const one = new OneOwner({ records: [intent, redirect], committed: 2n });
    one.index.isRebuiltElsewhere = true;
    await one.settled();
    expect([one.owner.state, one.index.marker]).toEqual(['place', undefined]);
    Object.assign(one.index, { marker: 1n, isRebuiltElsewhere: false });
    await one.settled();
    expect(one.owner.state).toBe('serve');
  });

  it('is read on behind what was built, though an older copy, from before the first kept record, is put back at once', async () => {
    const one = new OneOwner({ records: [intent, redirect], low: 5n, committed: 6n });
    one.isReaderLate = true;
    const read = one.index.readTogether;
    let reads = 0;
    one.index.readTogether = async (partition, keys) =>
      ++reads === 2 ? { marker: -1n, orders: keys.map(() => undefined) } : read(partition, keys);
    const positions: bigint[] = [];
    one.onFollow = () => positions.push(one.owner.position);
    await one.settled();
    expect(positions).toEqual([6n]);
  });

  it('begins with the first kept record where the log has lost older ones, and does not take its marker for good', async () => {
    const one = await new OneOwner({ records: [intent, redirect], low: 5n, committed: 7n, marker: 2n }).settled();
    expect([one.index.marker, one.index.orders.size, one.published]).toEqual([6n, 1, []]);
  });
});

it('publishes what an older index lacks only where it was not published', async () => {
  const one = await new OneOwner({ records: [intent, redirect, repeated], committed: 2n, marker: -1n }).settled();
  expect([typesOf(one), one.index.marker]).toEqual([['payment.authorize.redirect_required'], 2n]);
});

it('commits what the index shows where it is ahead of the commit, and publishes none of it', async () => {
  const one = await new OneOwner({ records: [], committed: 0n }).settled();
  const killed = new OneOwner({ records: [intent, redirect], committed: 0n, marker: 1n });
  await killed.settled();
  expect([killed.owner.published, killed.published, one.owner.published]).toEqual([2n, [], 0n]);
});

it('deletes a marker that it can not verify before it places', async () => {
  expect((await new OneOwner().settled()).index.dropped).toEqual([PARTITION]);
});

describe('a log that is not the one of the index', () => {
  it.each<[string, ConstructorParameters<typeof OneOwner>[0], RegExp]>([
    ['has another record at the marker', { records: [intent], marker: 0n, hash: 'another' }, /is another one/],
    ['ends before the index', { records: [intent], marker: 4n }, /which ends at 1/],
    ['ends before what was published, and the index is lost too', { records: [intent], committed: 5n }, /ends at 1/],
    ['lacks records that were not published', { records: [intent], low: 3n, committed: 1n }, /were deleted before/],
  ])('stops the partition where it %s: nothing is published or written', async (_what, settings, why) => {
    const one = await new OneOwner(settings).settled();
    const { marker } = one.index;
    expect([one.owner.state, one.published, marker]).toEqual(['stopped', [], settings?.marker]);
    expect(one.owner.stoppedBecause).toMatch(why);
  });

  it.each<[string, ConstructorParameters<typeof OneOwner>[0]]>([
    ['has the same record', { records: [intent, redirect], marker: 1n }],
    ['has a record whose hash is not known', { records: [intent, redirect], marker: 1n, hash: undefined }],
    ['has lost the record by its age', { records: [intent], low: 2n, marker: 1n, hash: 'another' }],
  ])('is the same where it %s', async (_what, settings) => {
    expect((await new OneOwner(settings).settled()).owner.state).toBe('serve');
  });

  it('is the same where the record at the marker was deleted by its age while the owner placed', async () => {
    const one = new OneOwner({ records: [intent, redirect], marker: 0n, committed: 1n });
    one.onFollow = () => {
      one.low = 1n;
      one.log.shift();
    };
    await one.settled();
    expect([one.owner.state, one.follows, one.index.marker]).toEqual(['serve', 2, 1n]);
  });

  it('is another one where the record at the marker is absent and was not deleted', async () => {
    const one = new OneOwner({ records: [intent, redirect], marker: 0n, committed: 1n });
    one.log.shift();
    expect((await one.settled()).owner.stoppedBecause).toMatch(/is another one/);
  });

  it('stops where the log that is read does not hold the INTENT of this process', async () => {
    const one = await new OneOwner().settled();
    one.isReplaced = true;
    const asked = one.journal.appendIntent(granted);
    one.isReplaced = false;
    one.append({ ...granted, orderId: 'another', token: 'u' });
    one.append({ ...granted, commandId: 'b', token: 'v' });
    await expect(asked).rejects.toThrow('the journal was replaced');
    expect(one.owner.state).toBe('stopped');
  });

  it('stops where an append is answered with an offset that was read before', async () => {
    const one = await new OneOwner({ records: [intent, redirect] }).settled();
    one.log.splice(0);
    await one.journal.append(repeated);
    expect(one.owner.stoppedBecause).toContain('appended at offset 0');
  });
});

describe('a wait', () => {
  it('for the end of the log includes records of other orders', async () => {
    const one = await new OneOwner().settled();
    one.isReaderLate = true;
    one.append({ ...granted, orderId: 'another' });
    let isRead = false;
    const read = one.journal.readToEnd('shop-fr', 'o', never).then((order) => ((isRead = true), order));
    await one.settled();
    expect(isRead).toBe(false);
    one.isReaderLate = false;
    await one.bring();
    expect(isEmptyOrder(await read)).toBe(true);
  });

  it('is abandoned by its signal', async () => {
    const one = await new OneOwner().settled();
    one.isReaderLate = true;
    one.append(intent);
    const signal = AbortSignal.abort(new Error('the drain begins'));
    await expect(one.journal.readToEnd('shop-fr', 'o', signal)).rejects.toThrow('the drain begins');
  });

  it('rejects where the partition is stopped, also of an order in memory', async () => {
    const one = await new OneOwner({ records: [intent] }).settled();
    await one.journal.read('shop-fr', 'o');
    one.owner.stop('it lost records');
    await expect(one.journal.appendWithRetry(outcome)).rejects.toThrow('is stopped');
    await expect(one.journal.appendAndRead(outcome)).rejects.toThrow('is stopped');
    await expect(one.journal.appendIntent({ ...granted, token: 'u' })).rejects.toThrow(OrderUnreadableError);
  });

  it('for a record lasts across a placement', async () => {
    const one = await new OneOwner({ records: [intent] }).settled();
    await one.journal.read('shop-fr', 'o');
    one.isReaderLate = true;
    const after = one.journal.appendAndRead(outcome);
    await one.settled();
    one.isReaderLate = false;
    one.index.lose();
    one.owner.doubtIndex();
    expect((await after).operations.map(({ end }) => end)).toEqual(['refused']);
  });
});

it('publishes and writes nothing after its assignment has ended, and still reads back what calls wait for', async () => {
  const one = await new OneOwner({ records: [intent] }).settled();
  await one.journal.read('shop-fr', 'o');
  const steps = [...one.steps];
  one.owner.end();
  expect((await one.journal.appendAndRead(outcome)).operations.map(({ end }) => end)).toEqual(['refused']);
  await one.settled();
  expect(one.steps).toEqual(steps);
});

it('does not stop the partition after its assignment has ended, since the next owner compares the log itself', async () => {
  const one = await new OneOwner({ records: [intent, redirect] }).settled();
  one.owner.end();
  one.owner.stop('records from 4 on were deleted before they were read');
  expect([one.owner.state, one.owner.stoppedBecause]).toEqual(['place', undefined]);
  const appended = one.journal.appendWithRetry(outcome);
  one.journal.disown(one.owner);
  await expect(appended).rejects.toThrow(OrderUnreadableError);
  expect(one.log).toHaveLength(3);
});

describe('a process that stood still while retention cut the log', () => {
  it('places anew where its successor has projected what was deleted', async () => {
    const one = await new OneOwner({ records: [intent] }).settled();
    one.isReaderLate = true;
    one.append(redirect);
    one.append(outcome);
    Object.assign(one.index, { marker: 2n, hash: recordHash(one.log[2]!.value) });
    one.cut(2n);
    one.isReaderLate = false;
    await one.settled();
    expect([one.owner.state, one.owner.position]).toEqual(['serve', 3n]);
    expect(one.levels).toEqual([]);
  });

  it('stops where nobody has projected what was deleted', async () => {
    const one = await new OneOwner({ records: [intent] }).settled();
    one.isReaderLate = true;
    one.append(redirect);
    one.append(outcome);
    one.cut(2n);
    await one.settled();
    expect(one.owner.state).toBe('stopped');
    expect(one.owner.stoppedBecause).toContain('the records from 1 on were deleted before they were projected');
  });
});

it('gives up a batch that waits when its assignment ends', async () => {
  let letGo: () => void = () => undefined;
  const did = (what: string) => (what === 'events 1' ? new Promise<void>((resolve) => (letGo = resolve)) : undefined);
  const one = await new OneOwner({ records: [intent, redirect], did }).settled();
  one.owner.end();
  letGo();
  await one.settled();
  expect([one.index.marker, one.owner.published]).toEqual([-1n, 0n]);
});
