import { BufferedPort } from './buffered-port.js';
import type { ConsumedRecord } from './consumed-record.js';
import type { CommitPoint, GroupPort } from './group-port.js';
import { GroupWork } from './group-work.js';
import { InOrderWork } from './in-order-work.js';
import { TailBuffer } from './tail-buffer.js';
import { defaultWatermarks } from './watermarks.js';

const record = (offset: number): ConsumedRecord => ({
  ...{ topic: 'journal', partition: 0, offset: BigInt(offset), key: 'k', rawKey: null, timestampMs: 0 },
  value: Buffer.alloc(10),
  headers: {},
});
const recordsOf = (...offsets: number[]) => offsets.map(record);
const journal = { topic: 'journal', partition: 0 };
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A member with a tail and a fetching port that the test drives. */
class Member {
  readonly calls: string[] = [];
  readonly commits: CommitPoint[] = [];
  readonly projected: number[] = [];
  readonly buffer: TailBuffer;
  readonly port: BufferedPort;
  readonly work: GroupWork;
  committed: bigint | undefined;
  /** Running batches wait for this promise. */
  gate = Promise.resolve();

  constructor({ records = 100, mostWaiting = 1_000 } = {}) {
    this.buffer = new TailBuffer({ records, bytes: 1_000_000 });
    const inner: GroupPort = {
      commit: (points) => Promise.resolve(void this.commits.push(...points)),
      starts: () => Promise.resolve([{ ...journal, committed: this.committed, metadata: '', low: 0n }]),
      seek: (_partition, offset) => void this.calls.push(`seek ${offset}`),
      pause: () => void this.calls.push('pause'),
      resume: () => void this.calls.push('resume'),
    };
    this.port = new BufferedPort({ port: inner, buffer: this.buffer, work: () => this.work });
    const silent = () => undefined;
    this.work = new GroupWork({
      groupId: 'projector',
      log: { debug: silent, info: silent, warn: silent, error: silent },
      port: this.port,
      watermarks: { ...defaultWatermarks, records: mostWaiting },
      commitEveryMs: 1,
      assigned: (assignment) => {
        const onBatch = async (batch: ConsumedRecord[]) => {
          await this.gate;
          this.projected.push(...batch.map(({ offset }) => Number(offset)));
        };
        const work = new InOrderWork(assignment, { maxBatchRecords: 10, onBatch });
        void work.run();
        return work;
      },
    });
  }

  async join(): Promise<void> {
    this.port.begin([journal]);
    await this.work.join([journal]);
  }

  get fetches(): string[] {
    return this.calls.splice(0).filter((call) => call !== 'pause');
  }
}

it('fetches nothing as long as the tail has all that comes next', async () => {
  const member = new Member();
  member.buffer.begin(0, 0n);
  await member.join();
  member.buffer.add(0, recordsOf(0, 1, 3));
  member.buffer.add(0, recordsOf(4));
  await settled();
  expect([member.projected, member.fetches]).toEqual([[0, 1, 3, 4], []]);
});

it('fetches no more once a tail begins where it is', async () => {
  const member = new Member();
  await member.join();
  expect(member.fetches).toEqual(['seek 0', 'resume']);
  member.buffer.begin(0, 0n);
  expect(member.calls).toEqual(['pause']);
});

it('fetches from its start until it meets what the tail has read', async () => {
  const member = new Member();
  await member.join();
  expect(member.fetches).toEqual(['seek 0', 'resume']);
  member.buffer.begin(0, 4n);
  member.buffer.add(0, recordsOf(4, 5));
  expect(member.port.take(journal, recordsOf(0, 1), { from: 0n, next: 2n })).toBe(1n);
  expect(member.port.take(journal, recordsOf(2, 3), { from: 2n, next: 4n })).toBe(3n);
  expect(member.calls.at(-1)).toBe('pause');
  await settled();
  expect([member.projected, member.fetches]).toEqual([[0, 1, 2, 3, 4, 5], []]);
});

it('drops what was fetched of records that the buffer has handed over meanwhile', async () => {
  const member = new Member();
  await member.join();
  member.buffer.begin(0, 0n);
  member.buffer.add(0, recordsOf(0, 1, 2));
  // A response that was in flight before the seek.
  expect(member.port.take(journal, recordsOf(0, 1, 2, 3), { from: 0n, next: 4n })).toBeUndefined();
  member.buffer.add(0, recordsOf(3));
  await settled();
  expect(member.projected).toEqual([0, 1, 2, 3]);
});

it('fetches while the tail is behind where it begins', async () => {
  const member = new Member();
  member.committed = 5n;
  member.buffer.begin(0, 2n);
  await member.join();
  expect(member.fetches).toEqual(['seek 5', 'resume']);
  member.buffer.add(0, recordsOf(2, 3));
  member.buffer.add(0, recordsOf(4, 5));
  await settled();
  expect([member.projected, member.fetches]).toEqual([[5], []]);
});

it('takes no more than it can project, keeps no more than the buffer may hold, and fetches what that has lost', async () => {
  const member = new Member({ records: 3, mostWaiting: 2 });
  let open = (): void => undefined;
  member.gate = new Promise((resolve) => (open = resolve));
  member.buffer.begin(0, 0n);
  await member.join();
  for (let offset = 0; offset < 10; offset++) member.buffer.add(0, recordsOf(offset));
  expect([member.buffer.size.records, member.work.backlog().records, member.fetches]).toEqual([3, 2, []]);
  open();
  while (member.calls.length === 0 || member.calls.at(-1) === 'pause') await settled();
  expect(member.fetches).toEqual(['seek 2', 'resume']);
  const rest = (from: number) => recordsOf(...[2, 3, 4, 5, 6].filter((offset) => offset >= from));
  for (let next = 2; next < 7;) {
    const last = member.port.take(journal, rest(next), { from: BigInt(next), next: 7n });
    next = last === undefined ? next : Number(last) + 1;
    await settled();
  }
  while (member.projected.length < 10) await settled();
  expect(member.projected).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

it('begins a further assignment with what is kept, and hands nothing to one that has ended', async () => {
  const member = new Member();
  let open = (): void => undefined;
  member.gate = new Promise((resolve) => (open = resolve));
  member.buffer.begin(0, 0n);
  await member.join();
  member.buffer.add(0, recordsOf(0, 1));
  member.work.end();
  member.buffer.add(0, recordsOf(2));
  open();
  await settled();
  member.projected.length = 0;
  await member.join();
  await settled();
  expect([member.projected, member.fetches]).toEqual([[0, 1, 2], []]);
});

it('keeps nothing that was committed', async () => {
  const member = new Member();
  member.buffer.begin(0, 0n);
  await member.join();
  member.buffer.add(0, recordsOf(0, 1));
  while (member.commits.length === 0) await settled();
  await settled();
  expect([member.commits.at(-1)?.offset, member.buffer.size]).toEqual([2n, { records: 0, bytes: 0 }]);
});
