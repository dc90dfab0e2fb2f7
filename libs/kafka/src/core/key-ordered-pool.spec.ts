import type { Timers } from '@tranche/runtime';
import type { ConsumedRecord } from './record.js';
import { encodeFinished } from './frontier.js';
import { KeyOrderedPool, type PoolOptions, type Slot } from './key-ordered-pool.js';
import type { Task, HandlerResult } from './key-ordered-work.js';
import type { Assignment, PartitionWork } from './group-port.js';

const record = (offset: number, key: string | null, partition = 0): ConsumedRecord => ({
  topic: 'commands',
  partition,
  offset: BigInt(offset),
  key,
  rawKey: key === null ? null : Buffer.from(key),
  value: Buffer.alloc(10),
  headers: {},
  timestampMs: 0,
});

/** A pool whose handlers run until the test ends them. */
class Bench {
  readonly started: string[] = [];
  readonly end = new AbortController();
  progressed = 0;
  private readonly open = new Map<string, (verdict: HandlerResult) => void>();
  readonly pool: KeyOrderedPool;

  readonly slots = new Map<string, Slot>();

  constructor(inFlight: number, options: Partial<PoolOptions> = {}) {
    this.pool = new KeyOrderedPool({ inFlight, ...options }, (task, slot) => this.run(task, slot));
  }

  workOn(partition = 0, end: AbortController = this.end, topic = 'commands'): PartitionWork {
    const assignment: Assignment = {
      topic,
      partition,
      signal: end.signal,
      progress: () => this.progressed++,
    };
    return this.pool.workOn(assignment);
  }

  async finish(offset: number, verdict: HandlerResult = 'done', partition = 0): Promise<void> {
    const id = `${partition}/${offset}`;
    const finish = this.open.get(id);
    if (!finish) throw new Error(`${id} does not run`);
    this.open.delete(id);
    finish(verdict);
    await settled();
  }

  private run({ record: { partition, offset } }: Task, slot: Slot): Promise<HandlerResult> {
    const id = `${partition}/${offset}`;
    this.started.push(id);
    this.slots.set(id, slot);
    return new Promise((resolve) => this.open.set(id, resolve));
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('key-ordered work', () => {
  it('runs records of one key one after the other and other keys beside them', async () => {
    const bench = new Bench(10);
    const work = bench.workOn();
    work.add([record(0, 'a'), record(1, 'a'), record(2, 'b'), record(3, null), record(4, null)]);
    expect(bench.started).toEqual(['0/0', '0/2', '0/3', '0/4']);
    await bench.finish(0);
    expect(bench.started).toEqual(['0/0', '0/2', '0/3', '0/4', '0/1']);
  });

  it('never runs more than its cap, and takes partitions in turn', async () => {
    const bench = new Bench(2);
    const first = bench.workOn(0);
    const second = bench.workOn(1);
    first.add([record(0, 'a'), record(1, 'b'), record(2, 'c')]);
    second.add([record(0, 'a', 1), record(1, 'b', 1)]);
    expect(bench.started).toEqual(['0/0', '0/1']);
    await bench.finish(0);
    expect(bench.pool.runningCount).toBe(2);
    await bench.finish(1);
    await bench.finish(2);
    expect(bench.started).toEqual(['0/0', '0/1', '0/2', '1/0', '1/1']);
  });

  it('commits up to the first record that is not finished, across gaps in the offsets, and says what is finished above', async () => {
    const bench = new Bench(10);
    const work = bench.workOn();
    expect(work.commitPoint()).toBeUndefined();
    work.begin(4n, undefined);
    work.add([record(5, 'a'), record(9, 'b'), record(20, 'c')]);
    expect(work.changes).toBe(0);
    await bench.finish(9);
    expect(work.commitPoint()).toEqual({ offset: 5n, metadata: encodeFinished(5n, [9n]) });
    await bench.finish(5);
    expect(work.commitPoint()).toEqual({ offset: 20n, metadata: '' });
    await bench.finish(20);
    expect(work.commitPoint()?.offset).toBe(21n);
    expect(bench.progressed).toBe(3);
    expect(work.backlog()).toEqual({ records: 0, bytes: 0, span: 0 });
    work.add([record(30, 'a')]);
    expect(work.commitPoint()?.offset).toBe(30n);
  });

  it('does not run records that an earlier assignment finished above its frontier, and commits them as finished until the frontier passes them', async () => {
    const bench = new Bench(10);
    const work = bench.workOn();
    work.begin(5n, encodeFinished(5n, [6n, 8n, 11n]));
    work.add([record(5, 'a'), record(6, 'a'), record(7, 'a'), record(8, 'b')]);
    expect(bench.started).toEqual(['0/5']);
    expect(work.commitPoint()).toEqual({ offset: 5n, metadata: encodeFinished(5n, [6n, 8n, 11n]) });
    await bench.finish(5);
    expect(bench.started).toEqual(['0/5', '0/7']);
    expect(work.commitPoint()).toEqual({ offset: 7n, metadata: encodeFinished(7n, [8n, 11n]) });
    await bench.finish(7);
    expect(work.commitPoint()).toEqual({ offset: 9n, metadata: encodeFinished(9n, [11n]) });
    expect(work.backlog()).toEqual({ records: 0, bytes: 0, span: 0 });
  });

  it('frees a place for as long as a record waits without it, keeps its key, and takes one again before others that have not begun', async () => {
    const bench = new Bench(1);
    bench.workOn().add([record(0, 'a'), record(1, 'a'), record(2, 'b'), record(3, 'c')]);
    let isBack = false;
    let come: () => void = () => undefined;
    const wait = new Promise<void>((resolve) => (come = resolve));
    void bench.slots
      .get('0/0')!
      .withoutSlot(() => wait)
      .then(() => (isBack = true));
    expect(bench.started).toEqual(['0/0', '0/2']);
    expect(bench.pool.runningCount).toBe(1);
    come();
    await settled();
    expect(isBack).toBe(false);
    await bench.finish(2);
    expect(isBack).toBe(true);
    expect(bench.started).toEqual(['0/0', '0/2']);
    await bench.finish(0);
    expect(bench.started).toEqual(['0/0', '0/2', '0/3']);
  });

  it('lets a wait that rejects after the drain began return without a slot, and one that rejects before only with a slot', async () => {
    const bench = new Bench(1);
    bench.workOn().add([record(0, 'a'), record(1, 'b'), record(2, 'c')]);
    const failed: string[] = [];
    const failing = (id: string) => {
      let fail: () => void = () => undefined;
      const wait = new Promise<void>((_resolve, reject) => (fail = () => reject(new Error('given up'))));
      void bench.slots.get(id)!.withoutSlot(() => wait).catch(() => failed.push(id)); // prettier-ignore
      return fail;
    };
    const failBefore = failing('0/0');
    const failAfter = failing('0/1');
    failBefore();
    await settled();
    expect(failed).toEqual([]);
    bench.end.abort();
    failAfter();
    await settled();
    expect(failed).toEqual(['0/1']);
    await bench.finish(2);
    expect(failed).toEqual(['0/1', '0/0']);
    await bench.finish(0, { hold: 'key', ms: 1 });
    await bench.finish(1, { hold: 'key', ms: 1 });
    expect(bench.pool.runningCount).toBe(0);
  });

  it('keeps to the cap of each topic, and starts nothing of one that is paused', async () => {
    const bench = new Bench(10, { inFlightPerTopic: { commands: 1 } });
    bench.workOn().add([record(0, 'a'), record(1, 'b')]);
    bench.workOn(1, bench.end, 'others').add([record(0, 'a', 1), record(1, 'b', 1)]);
    expect(bench.started).toEqual(['0/0', '1/0', '1/1']);
    bench.pool.pauseTopics(['commands']);
    await bench.finish(0);
    expect(bench.started).toHaveLength(3);
    bench.pool.resumeTopics(['commands']);
    expect(bench.started).toEqual(['0/0', '1/0', '1/1', '0/1']);
  });

  it('is settled when nothing runs, of ended assignments neither, and nothing waits without a place', async () => {
    const bench = new Bench(2);
    bench.workOn().add([record(0, 'a')]);
    bench.end.abort();
    bench.workOn(0, new AbortController()).add([record(0, 'a'), record(1, 'b')]);
    let come: () => void = () => undefined;
    void bench.slots.get('0/1')!.withoutSlot(() => new Promise<void>((resolve) => (come = resolve)));
    let isSettled = false;
    void bench.pool.settled().then(() => (isSettled = true));
    await settled();
    await bench.finish(0);
    expect([bench.started, isSettled]).toEqual([['0/0', '0/1', '0/0'], false]);
    await bench.finish(0);
    expect([bench.pool.runningCount, isSettled]).toEqual([0, false]);
    come();
    await settled();
    await bench.finish(1);
    expect(isSettled).toBe(true);
    await bench.pool.settled();
  });

  it('takes the time only from the timers that it was given', async () => {
    const due: (() => void)[] = [];
    const timers: Timers = { nowMs: () => 7, after: (_ms, run) => (due.push(run), () => undefined), random: () => 0 };
    const bench = new Bench(1, { timers });
    const work = bench.workOn();
    work.add([record(0, 'a')]);
    expect(work.oldestSinceMs).toBe(7);
    await bench.finish(0, { hold: 'key', ms: 1000 });
    due[0]!();
    expect(bench.started).toEqual(['0/0', '0/0']);
  });

  it('gives the place of a held key to others, and runs the same record again when its time has come', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const bench = new Bench(1);
    bench.workOn().add([record(0, 'a'), record(1, 'a'), record(2, 'b')]);
    await bench.finish(0, { hold: 'key', ms: 100 });
    await bench.finish(2);
    expect(bench.started).toEqual(['0/0', '0/2']);
    jest.advanceTimersByTime(99);
    expect(bench.started).toHaveLength(2);
    jest.advanceTimersByTime(1);
    expect(bench.started).toEqual(['0/0', '0/2', '0/0']);
    jest.useRealTimers();
  });

  it('starts nothing more of a held partition, however many of its records hold it', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const bench = new Bench(2);
    bench.workOn(0).add([record(0, 'a'), record(1, 'b'), record(2, 'c')]);
    await bench.finish(0, { hold: 'partition', ms: 100 });
    await bench.finish(1, { hold: 'partition', ms: 200 });
    expect(bench.started).toEqual(['0/0', '0/1']);
    bench.workOn(1).add([record(0, 'a', 1)]);
    expect(bench.started).toEqual(['0/0', '0/1', '1/0']);
    jest.advanceTimersByTime(100);
    await bench.finish(0);
    expect(bench.started).toEqual(['0/0', '0/1', '1/0', '0/0']);
    jest.advanceTimersByTime(100);
    await bench.finish(1);
    expect(bench.started).toEqual(['0/0', '0/1', '1/0', '0/0', '0/1', '0/2']);
    jest.useRealTimers();
  });

  it('gives up waiting records when the partition is taken away, and settles when the running ones have ended', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const bench = new Bench(3);
    const work = bench.workOn();
    work.add([record(0, 'a'), record(1, 'b'), record(2, 'b'), record(3, 'c'), record(4, 'd')]);
    await bench.finish(0, { hold: 'key', ms: 100 });
    bench.end.abort();
    let isSettled = false;
    void work.settled().then(() => (isSettled = true));
    jest.advanceTimersByTime(1000);
    await bench.finish(1);
    expect(isSettled).toBe(false);
    await bench.finish(3);
    await bench.finish(4);
    await settled();
    expect(isSettled).toBe(true);
    expect(bench.started).toEqual(['0/0', '0/1', '0/3', '0/4']);
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  it('does not let a record that came again overtake its first run', async () => {
    const bench = new Bench(10);
    bench.workOn().add([record(0, 'a')]);
    bench.end.abort();
    const again = bench.workOn(0, new AbortController());
    again.add([record(0, 'a'), record(1, 'b')]);
    expect(bench.started).toEqual(['0/0', '0/1']);
    await bench.finish(0);
    await settled();
    expect(bench.started).toEqual(['0/0', '0/1', '0/0']);
    expect(again.commitPoint()?.offset).toBe(0n);
    await bench.finish(0);
    expect(again.commitPoint()?.offset).toBe(1n);
  });

  it('counts the span behind a held key', async () => {
    const bench = new Bench(1);
    const work = bench.workOn();
    work.add([record(0, 'held')]);
    await bench.finish(0, { hold: 'key', ms: 60_000 });
    for (let offset = 1; offset <= 3200; offset++) {
      work.add([record(offset, `key ${offset}`)]);
      await bench.finish(offset);
    }
    expect(work.backlog()).toEqual({ records: 1, bytes: 214, span: 3201 });
    expect(work.commitPoint()?.offset).toBe(0n);
    bench.end.abort();
  });
});
