import { silentLog } from '@tranche/runtime';
import { intent, inOrder, redirect } from '../../test/journal-records.js';
import { OneOwner } from '../../test/one-owner.js';
import type { Intent, JournalRecord } from '../state/records.js';
import { DoubtWatch } from '../timers/doubt-watch.js';

const SECOND = 1_000;
const opened = intent as Intent;
const longLog = (records: number): JournalRecord[] =>
  Array.from({ length: records }, (_, at) => ({ ...opened, orderId: `o${at}`, token: `t${at}` }));

/** A rebuild that reads one record a second, and a group that is joined in three seconds. */
class SlowRebuild {
  read = 0;
  seconds = 0;
  readonly one: OneOwner;
  #answer = (): void => undefined;

  constructor(private readonly records: number) {
    const onRead = () => (this.read++, new Promise<void>((resolve) => (this.#answer = resolve)));
    this.one = new OneOwner({ records: longLog(records), committed: BigInt(records), onRead });
  }

  async second(): Promise<void> {
    this.seconds++;
    this.#answer();
    await this.one.settled(4);
  }

  async join(whileNobodyOwns?: () => void): Promise<void> {
    this.one.owner.end();
    for (let at = 0; at < 3; at++) await this.second();
    whileNobodyOwns?.();
    this.one.assign(BigInt(this.records));
    await this.one.settled(4);
  }
}

/** Virtual seconds until it serves; Infinity where that takes more than ten times as long as it must. */
async function secondsToServe(records: number, joinEvery: number): Promise<number> {
  const rebuild = new SlowRebuild(records);
  await rebuild.one.settled(4);
  for (let lastJoin = 0; !rebuild.one.owner.isServing;) {
    if (rebuild.seconds > 10 * records) return Infinity;
    if (rebuild.seconds - lastJoin >= joinEvery) {
      lastJoin = rebuild.seconds;
      await rebuild.join();
    } else await rebuild.second();
  }
  return rebuild.seconds;
}

describe('the rebuild of an index', () => {
  it('takes little longer where the group is joined every 20 seconds', async () => {
    const undisturbed = await secondsToServe(300, Infinity);
    const disturbed = await secondsToServe(300, 20);
    expect(undisturbed).toBeGreaterThanOrEqual(300);
    expect(disturbed).toBeLessThan(1.2 * undisturbed);
  });

  it('writes nothing between two assignments', async () => {
    const rebuild = new SlowRebuild(30);
    await rebuild.one.settled(4);
    for (let at = 0; at < 10; at++) await rebuild.second();
    const { length } = rebuild.one.index.seen;
    expect(length).toBeGreaterThan(5);
    rebuild.one.owner.end();
    for (let at = 0; at < 40; at++) await rebuild.second();
    expect([rebuild.one.index.seen.length, rebuild.one.owner.state]).toEqual([length, 'place']);
  });

  it('begins anew where another process has taken it over meanwhile', async () => {
    const rebuild = new SlowRebuild(30);
    await rebuild.one.settled(4);
    for (let at = 0; at < 20; at++) await rebuild.second();
    await rebuild.join(() => void rebuild.one.index.beginRebuild(0, undefined));
    for (let at = 0; at < 60; at++) await rebuild.second();
    expect([rebuild.one.owner.state, rebuild.one.index.orders.size]).toEqual(['serve', 30]);
    expect(rebuild.read).toBeGreaterThan(45);
  });

  it('ends where the partition goes to another process', async () => {
    const rebuild = new SlowRebuild(30);
    await rebuild.one.settled(4);
    for (let at = 0; at < 10; at++) await rebuild.second();
    rebuild.one.owner.end();
    rebuild.one.journal.disown(rebuild.one.owner);
    const { length } = rebuild.one.index.seen;
    for (let at = 0; at < 40; at++) await rebuild.second();
    expect([rebuild.one.index.seen.length, rebuild.one.owner.state]).toEqual([length, 'closed']);
  });
});

it('puts a call in doubt within a minute though the group is joined every 25 seconds', async () => {
  let nowMs = 0;
  const one = new OneOwner({ records: [intent], monotonicMs: () => nowMs });
  const timing = {
    nowMs: () => Date.parse(inOrder.at) + nowMs,
    monotonicMs: () => nowMs,
    sleep: () => Promise.resolve(),
  };
  const doubts = new DoubtWatch(one.journal, timing, 31 * SECOND, silentLog);
  for (; nowMs < 60 * SECOND && one.high === 1n; nowMs += SECOND) {
    if (nowMs % (25 * SECOND) === 24 * SECOND) {
      one.owner.end();
      await one.settled(4);
      one.assign(one.owner.published);
    }
    await one.settled(10);
    await doubts.poll();
  }
  expect(JSON.parse(String(one.log.at(-1)!.value))).toMatchObject({ record: 'IN_DOUBT', token: 't' });
});

describe('a partition that its process has again', () => {
  const outcome: JournalRecord = {
    ...{ record: 'OUTCOME', ...inOrder, commandId: 'a', attempt: 1, token: 't', result: 'refused', answer: {} },
  };

  it('is placed anew: what another process published and wrote meanwhile is not done again', async () => {
    const one = await new OneOwner({ records: [intent] }).settled();
    one.owner.end();
    one.append(redirect);
    await one.settled();
    expect([one.published, one.index.marker]).toEqual([[], 0n]);
    const other = await new OneOwner({ records: [intent, redirect], marker: 0n, committed: 1n }).settled();
    Object.assign(one.index, { marker: other.index.marker, hash: other.index.hash });
    for (const [key, order] of other.index.orders) one.index.orders.set(key, order);
    one.assign(other.owner.published);
    await one.settled();
    expect([one.owner.state, one.published, one.owner.published]).toEqual(['serve', [], 2n]);
  });

  it('commits from the group’s commit on: an offset of before the join may be of another log', async () => {
    const one = await new OneOwner({ records: [intent, redirect] }).settled();
    expect(one.owner.published).toBe(2n);
    one.owner.end();
    one.isReaderLate = true;
    one.index.readTogether = () => new Promise(() => undefined);
    one.assign(0n);
    await one.settled();
    expect([one.owner.state, one.owner.published]).toEqual(['place', 0n]);
  });

  it('lets a call go on that waits for its record', async () => {
    const one = await new OneOwner({ records: [intent] }).settled();
    await one.journal.read('shop-fr', 'o');
    one.isReaderLate = true;
    const after = one.journal.appendAndRead(outcome);
    one.owner.end();
    await one.settled();
    one.isReaderLate = false;
    one.assign(1n);
    expect((await after).operations.map(({ end }) => end)).toEqual(['refused']);
  });

  it('serves after an assignment that ended before it was placed', async () => {
    const one = new OneOwner({ records: [intent] });
    one.owner.end();
    one.assign(undefined);
    one.owner.end();
    await one.settled();
    expect(one.index.marker).toBeUndefined();
    one.assign(undefined);
    await one.settled();
    expect([one.owner.state, one.index.marker]).toEqual(['serve', 0n]);
  });

  it('has another owner where the last one was stopped', async () => {
    const one = await new OneOwner({ records: [intent, redirect] }).settled();
    one.owner.stop('it lost records');
    const again = one.journal.own(one.owner.partition);
    expect(again).not.toBe(one.owner);
    expect([one.owner.state, again.state]).toEqual(['closed', 'place']);
  });

  it('resolves whoever waits until it serves, also who began to wait before it was assigned', async () => {
    const one = await new OneOwner({ records: [intent] }).settled();
    one.owner.end();
    let isServing = false;
    void one.owner.whenServing(new AbortController().signal).then(() => (isServing = one.owner.isServing));
    await one.settled();
    expect(isServing).toBe(false);
    one.assign(1n);
    await one.settled();
    expect(isServing).toBe(true);
  });
});

it('stops at a log that ends before the index within two minutes though the group is joined every 25 seconds', async () => {
  let nowMs = 0;
  const one = new OneOwner({ records: [intent], marker: 4n, monotonicMs: () => nowMs });
  for (; nowMs < 120 * SECOND && one.owner.state !== 'stopped'; nowMs += SECOND) {
    if (nowMs % (25 * SECOND) === 24 * SECOND) {
      one.owner.end();
      await one.settled(4);
      one.assign(undefined);
    }
    await one.settled(4);
  }
  expect([one.owner.state, one.owner.stoppedBecause]).toEqual(['stopped', expect.stringContaining('which ends at 1')]);
});
