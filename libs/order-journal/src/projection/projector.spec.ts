import {
  inOrder,
  intent,
  redirect,
  repeated,
  recordsOf,
  journalOf,
  projection,
  typesOf,
  orders,
} from '../../test/projector-world.js';

it('publishes what the records made known, then moves the index', async () => {
  const { index, published, startOffset, project } = projection();
  expect(await startOffset(undefined, 0n)).toBe(0n);
  await project(recordsOf(0n, intent, redirect));
  expect([typesOf(published), index.marker]).toEqual([['authorize.redirect_required'], 1n]);
  expect(published[0]).toMatchObject({
    subject: 'shop-fr/o',
    sequence: '0000000000000000001',
    causationid: 'a',
    traceparent: '00-a-b-01',
  });
});

it('leaves the index where it is until Kafka has taken the events', async () => {
  const { index, events, startOffset, project } = projection();
  await startOffset(undefined, 0n);

  let take = () => {};
  events.publish = () => new Promise<void>((resolve) => (take = resolve));
  const projected = project(recordsOf(0n, intent, redirect));
  await new Promise((resolve) => setImmediate(resolve));
  expect([index.marker, index.orders.size]).toEqual([-1n, 0]);
  take();
  await projected;
  expect([index.marker, index.orders.size]).toEqual([1n, 1]);
});

it('publishes again what Kafka did not take, and moves the index only then', async () => {
  const { index, events, published, startOffset, project } = projection();
  await startOffset(undefined, 0n);

  const publish = events.publish.bind(events);
  events.publish = () => Promise.reject(new Error('no leader'));
  await expect(project(recordsOf(0n, intent, redirect))).rejects.toThrow('no leader');
  expect([index.marker, index.orders.size]).toEqual([-1n, 0]);
  events.publish = publish;
  await project(recordsOf(0n, intent, redirect));
  expect([typesOf(published), index.marker]).toEqual([['authorize.redirect_required'], 1n]);
});

it('publishes the events of a batch in the order of their records', async () => {
  const { published, startOffset, project } = projection();
  await startOffset(undefined, 0n);
  const identity = { ...inOrder, commandId: 'a', attempt: 1, token: 't' };
  await project(
    recordsOf(
      0n,
      intent,
      { record: 'IN_DOUBT', ...identity, reason: 'timeout', message: '' },
      { record: 'OUTCOME', ...identity, result: 'succeeded', answer: { execCode: '0000', transactionId: 'T' } },
    ),
  );
  expect(typesOf(published)).toEqual(['authorize.in_doubt', 'authorize.doubt_resolved']);
  const sequences = published.map(({ sequence = '' }) => sequence);
  expect(sequences).toEqual([...new Set(sequences)].sort());
});

it('gives a repeat its REDIRECTHTML though the page came in the same batch', async () => {
  const { published, startOffset, project } = projection();
  await startOffset(undefined, 0n);
  await project(recordsOf(0n, intent, redirect, repeated));
  expect(published[1]).toEqual(published[0]);
  expect(published[1]?.data.redirectHtml).toBe('PGE+');
});

it('goes on behind another projector that was further', async () => {
  const { index, published, startOffset, project } = projection();
  await startOffset(undefined, 0n);
  await project(recordsOf(0n, intent));
  index.marker = 1n;
  await project(recordsOf(1n, redirect));
  expect([published, index.marker]).toEqual([[], 1n]);
});

it('publishes a batch once though the index did not take it at first', async () => {
  const { index, published, startOffset, project } = projection();
  await startOffset(undefined, 0n);
  index.writesFail = true;
  await expect(project(recordsOf(0n, intent, redirect))).rejects.toThrow('Redis is full');
  index.writesFail = false;
  await project(recordsOf(0n, intent, redirect));
  expect([typesOf(published), index.marker]).toEqual([['authorize.redirect_required'], 1n]);
});

it('refuses a journal that ends before the index', async () => {
  const { index, startOffset } = projection({ journal: journalOf([], undefined, 7n) });
  index.marker = 7n;
  await expect(startOffset(8n, 0n)).rejects.toThrow('lost or replaced');
  index.marker = 6n;
  expect(await startOffset(7n, 0n)).toBe(7n);
});

it('begins behind the marker as it is, not as it was before the journal’s end was asked', async () => {
  const journal = journalOf([intent, redirect]);
  // The previous assignment is still projecting.
  const end = (partition: number) => ((index.marker = 1n), journal.end(partition));
  const { index, startOffset } = projection({ journal: { ...journal, end } });
  index.marker = 0n;
  expect(await startOffset(1n, 0n)).toBe(2n);
});

it('drops a batch whose assignment ended while it waited', async () => {
  const { index, published, startOffset, project } = projection();
  await startOffset(undefined, 0n);
  await project(recordsOf(0n, intent));
  const readAll = index.readAll.bind(index);
  index.readAll = async (...asked) => {
    index.readAll = readAll;
    const states = await readAll(...asked);
    // The partition is revoked and assigned again while the batch waits for the index.
    await startOffset(1n, 0n);
    return states;
  };
  await expect(project(recordsOf(1n, redirect))).rejects.toThrow('assigned anew');
  expect([typesOf(published), index.marker]).toEqual([[], 0n]);
  await project(recordsOf(1n, redirect));
  expect([typesOf(published), index.marker]).toEqual([['authorize.redirect_required'], 1n]);
});

/** Separate orders, so that an index which was folded without them lacks them. */
describe('an assignment that has ended', () => {
  /** The first assignment requests the journal's end. Before the answer arrives, the partition is revoked and assigned to the same process again. */
  async function overtaken() {
    let answer: (end: bigint) => void = () => undefined;
    let asked = 0;
    const end = () => (++asked === 1 ? new Promise<bigint>((resolve) => (answer = resolve)) : Promise.resolve(5n));
    const made = projection({ journal: { ...journalOf(orders), end } });
    const ended = new AbortController();
    const lateStart = made.assign(ended.signal).startOffset(undefined, 0n);
    while (asked === 0) await new Promise((resolve) => setImmediate(resolve));
    ended.abort(new Error('the assignment has ended'));
    const current = made.assign();
    expect(await current.startOffset(undefined, 0n)).toBe(0n);
    await current.project(recordsOf(0n, ...orders.slice(0, 4)));
    return { ...made, current, lateStart, answer: () => answer(5n) };
  }

  // Seeds 207540, 13944, 109951 and 203663 of the simulation, docs/reliability.md.
  it('changes nothing of its successor’s progress when it hears late where the journal ends, after the index was lost', async () => {
    const { index, published, current, lateStart, answer } = await overtaken();
    index.lose();
    answer();
    await expect(lateStart).rejects.toThrow('the assignment has ended');
    await current.project(recordsOf(4n, orders[4]!));
    expect([[...index.orders.keys()], index.marker]).toEqual([orders.map(({ orderId }) => `shop-fr/${orderId}`), 4n]);
    expect(published).toEqual([]);
  });

  it('starts nothing, though it is asked only now', async () => {
    const { index, projector, assign, current } = await overtaken();
    const ended = projector.assigned[0]!.projection;
    expect(ended).toBe(current);
    const next = assign();
    index.lose();
    await expect(ended.startOffset(undefined, 0n)).rejects.toThrow('assigned anew');
    expect(await next.startOffset(4n, 0n)).toBe(4n);
    await next.project(recordsOf(4n, orders[4]!));
    expect(index.orders.size).toBe(5);
  });

  it('gives up a batch that waits for the index when the drain begins', async () => {
    const { index, projector, assign } = projection({ journal: journalOf(orders) });
    const end = new AbortController();
    const assigned = assign(end.signal);
    await assigned.startOffset(undefined, 0n);
    await assigned.project(recordsOf(0n, orders[0]!));
    index.lose();
    index.isRebuiltElsewhere = true;
    await projector.poll();
    const waiting = assigned.project(recordsOf(1n, orders[1]!));
    end.abort(new Error('the assignment has ended'));
    index.marker = 0n;
    await expect(waiting).rejects.toThrow('the assignment has ended');
    expect(index.marker).toBe(0n);
  });
});
