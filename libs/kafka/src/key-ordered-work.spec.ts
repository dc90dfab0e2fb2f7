import type { ConsumedRecord } from './consumed-record.js';
import { KeyOrderedPool, type Task, type Verdict } from './key-ordered-work.js';
import type { Assignment, PartitionWork } from './partition-work.js';

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

/** A pool whose handlers end when the test says so. */
class Bench {
  readonly started: string[] = [];
  readonly end = new AbortController();
  progressed = 0;
  private readonly open = new Map<string, (verdict: Verdict) => void>();
  readonly pool: KeyOrderedPool;

  constructor(inFlight: number) {
    this.pool = new KeyOrderedPool(inFlight, (task) => this.run(task));
  }

  workOn(partition = 0, end: AbortController = this.end): PartitionWork {
    const assignment: Assignment = { topic: 'commands', partition, signal: end.signal, progress: () => this.progressed++ };
    return this.pool.workOn(assignment);
  }

  async finish(offset: number, verdict: Verdict = 'done', partition = 0): Promise<void> {
    const id = `${partition}/${offset}`;
    const finish = this.open.get(id);
    if (!finish) throw new Error(`${id} does not run`);
    this.open.delete(id);
    finish(verdict);
    await settled();
  }

  private run({ record: { partition, offset } }: Task): Promise<Verdict> {
    const id = `${partition}/${offset}`;
    this.started.push(id);
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
    await bench.finish(0, 'done', 1);
    await bench.finish(2);
    expect(bench.started).toEqual(['0/0', '0/1', '1/0', '0/2', '1/1']);
  });

  it('commits up to the first record that is not finished, across gaps in the offsets', async () => {
    const bench = new Bench(10);
    const work = bench.workOn();
    expect(work.frontier()).toBeUndefined();
    work.add([record(5, 'a'), record(9, 'b'), record(20, 'c')]);
    await bench.finish(9);
    expect(work.frontier()).toBeUndefined();
    await bench.finish(5);
    expect(work.frontier()).toBe(20n);
    await bench.finish(20);
    expect(work.frontier()).toBe(21n);
    expect(bench.progressed).toBe(3);
    expect(work.backlog()).toEqual({ records: 0, bytes: 0 });
    work.add([record(30, 'a')]);
    expect(work.frontier()).toBe(30n);
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

  it('gives up what waits when the partition is taken away, and tells when what runs has ended', async () => {
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
    expect(again.frontier()).toBeUndefined();
    await bench.finish(0);
    expect(again.frontier()).toBe(1n);
  });

  it('counts a long span behind a held key as backlog', async () => {
    const bench = new Bench(1);
    const work = bench.workOn();
    work.add([record(0, 'held')]);
    await bench.finish(0, { hold: 'key', ms: 60_000 });
    for (let offset = 1; offset <= 3200; offset++) {
      work.add([record(offset, `key ${offset}`)]);
      await bench.finish(offset);
    }
    expect(work.backlog().records).toBe(200);
    expect(work.frontier()).toBeUndefined();
    bench.end.abort();
  });
});
