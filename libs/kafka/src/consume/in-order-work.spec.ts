import type { ConsumedRecord } from './consumed-record.js';
import { InOrderWork } from './in-order-work.js';

const record = (offset: number) => ({ offset: BigInt(offset), rawKey: null, value: Buffer.alloc(1) }) as ConsumedRecord;
const settled = () => new Promise((resolve) => setImmediate(resolve));

class Bench {
  readonly batches: number[][] = [];
  readonly answers: (() => Promise<void>)[] = [];
  readonly waitsMs: number[] = [];
  readonly end = new AbortController();
  progressed = 0;

  constructor(private readonly afterProgress: () => void = () => undefined) {}

  readonly work = new InOrderWork(
    {
      topic: 'journal',
      partition: 0,
      signal: this.end.signal,
      progress: () => (this.progressed++, this.afterProgress()),
    },
    {
      maxBatchRecords: 3,
      onBatch: (records) => {
        this.batches.push(records.map(({ offset }) => Number(offset)));
        return this.answers.shift()?.() ?? Promise.resolve();
      },
      timers: {
        nowMs: () => 0,
        after: (ms, run) => (this.waitsMs.push(ms), setImmediate(run), () => undefined),
        random: () => 1,
      },
    },
  );
}

describe('work in order', () => {
  it('takes batches one after the other, and repeats the one that fails until it does not', async () => {
    const bench = new Bench();
    bench.answers.push(() => Promise.resolve(), () => Promise.reject(new Error('no')), () => Promise.reject(new Error('no'))); // prettier-ignore
    bench.work.begin(0n);
    bench.work.add([0, 1, 2, 3, 4].map(record));
    const run = bench.work.run();
    while (bench.progressed < 2) await settled();
    expect(bench.batches).toEqual([
      [0, 1, 2],
      [3, 4],
      [3, 4],
      [3, 4],
    ]);
    expect(bench.waitsMs).toEqual([100, 200]);
    expect(bench.work.commitPoint()).toEqual({ offset: 5n, metadata: '' });
    bench.end.abort();
    await run;
  });

  it('is settled when the batch that ran has ended, and nothing starts after the drain began', async () => {
    const bench = new Bench();
    let end: () => void = () => undefined;
    bench.answers.push(() => new Promise((resolve) => (end = resolve)));
    bench.work.add([0, 1, 2, 3].map(record));
    void bench.work.run();
    bench.end.abort();
    let isSettled = false;
    void bench.work.settled().then(() => (isSettled = true));
    await settled();
    expect(isSettled).toBe(false);
    end();
    await settled();
    expect(isSettled).toBe(true);
    expect(bench.batches).toHaveLength(1);
    expect(bench.work.commitPoint()?.offset).toBe(3n);
  });

  it('handles no batch twice and skips none where the telling of its progress fails', async () => {
    const bench = new Bench(() => {
      throw new Error('the group is gone');
    });
    bench.work.begin(0n);
    bench.work.add([0, 1, 2, 3, 4].map(record));
    await expect(bench.work.run()).rejects.toThrow('the group is gone');
    expect(bench.batches).toEqual([[0, 1, 2]]);
    expect([bench.work.commitPoint()?.offset, bench.work.backlog().records]).toEqual([3n, 2]);
  });
});
