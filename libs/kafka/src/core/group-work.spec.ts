import { GenerationUnknownError, MembershipLostError } from '../errors.js';
import type { ConsumedRecord } from './record.js';
import { encodeFinished, withTopicId } from './frontier.js';
import type { CommitPoint, PartitionStart, TopicPartition, Assignment } from './group-port.js';
import { GroupWork } from './group-work.js';
import { KeyOrderedPool } from './key-ordered-pool.js';
import type { HandlerResult } from './key-ordered-work.js';
import { defaultWatermarks } from './assigned-partition.js';

const record = (offset: number, key = `key ${offset}`): ConsumedRecord => ({
  topic: 'commands',
  partition: 0,
  offset: BigInt(offset),
  key,
  rawKey: Buffer.from(key),
  value: Buffer.alloc(10),
  headers: {},
  timestampMs: 0,
});
const settled = () => new Promise((resolve) => setImmediate(resolve));
const first = { topic: 'commands', partition: 0 };

/** A member whose broker, clock and handlers the test drives. */
class Member {
  nowMs = 0;
  readonly calls: string[] = [];
  readonly commits: { points: CommitPoint[]; answer: (error?: Error) => void }[] = [];
  readonly running = new Map<string, (verdict: HandlerResult) => void>();
  readonly signals: AbortSignal[] = [];
  starts: PartitionStart[] = [{ ...first, committed: undefined, metadata: undefined, low: 0n, high: 100n }];
  startsFail = 0;
  topicId: string | undefined;
  private timers: { atMs: number; run: () => void }[] = [];
  private readonly time = {
    nowMs: () => this.nowMs,
    after: (ms: number, run: () => void) => {
      const timer = { atMs: this.nowMs + ms, run };
      this.timers.push(timer);
      return () => void (this.timers = this.timers.filter((other) => other !== timer));
    },
    random: () => 1,
  };
  private readonly pool = new KeyOrderedPool({ inFlight: 5000, timers: this.time }, ({ record: { offset } }) => {
    return new Promise((resolve) => this.running.set(String(offset), resolve));
  });
  readonly work: GroupWork;

  constructor(
    options: Partial<ConstructorParameters<typeof GroupWork>[0]> = {},
    startOffset?: (assignment: Assignment, committed: bigint | undefined, low: bigint) => Promise<bigint | undefined>,
  ) {
    const call = (name: string) => ({ topic, partition }: TopicPartition) => void this.calls.push(`${name} ${topic}/${partition}`); // prettier-ignore
    const silent = () => undefined;
    this.work = new GroupWork({
      groupId: 'group',
      log: { debug: silent, info: silent, warn: silent, error: silent },
      timers: this.time,
      assigned: (assignment) => {
        this.signals.push(assignment.signal);
        return this.pool.workOn(
          assignment,
          startOffset && ((committed, low) => startOffset(assignment, committed, low)),
        );
      },
      port: {
        commit: (points) =>
          new Promise((resolve, reject) =>
            this.commits.push({ points, answer: (error) => (error ? reject(error) : resolve()) }),
          ),
        starts: () => {
          if (this.startsFail-- > 0) return Promise.reject(new Error('not now'));
          return Promise.resolve(this.starts.map((start) => ({ topicId: this.topicId, ...start })));
        },
        seek: ({ topic, partition }, offset) => void this.calls.push(`seek ${topic}/${partition} ${offset}`),
        topicId: () => this.topicId,
        pause: call('pause'),
        resume: call('resume'),
      },
      ...options,
    });
  }

  async finish(...offsets: number[]): Promise<void> {
    for (const offset of offsets) {
      this.running.get(String(offset))!('done');
      this.running.delete(String(offset));
    }
    await settled();
  }

  async pass(ms: number): Promise<void> {
    this.nowMs += ms;
    const due = this.timers.filter(({ atMs }) => atMs <= this.nowMs);
    this.timers = this.timers.filter((timer) => !due.includes(timer));
    for (const { run } of due) run();
    await settled();
  }

  async answer(at: number, error?: Error): Promise<void> {
    this.commits[at]!.answer(error);
    await settled();
  }

  get committed(): [bigint, string][][] {
    return this.commits.map(({ points }) => points.map(({ offset, metadata }) => [offset, metadata]));
  }
}

describe('the work of a group', () => {
  it('begins at the committed offset with what is finished above it, else at the first one kept', async () => {
    const member = new Member();
    const second = { topic: 'commands', partition: 1 };
    member.starts = [
      { ...first, committed: 5n, metadata: encodeFinished(5n, [6n]), low: 0n, high: 100n },
      { ...second, committed: undefined, metadata: undefined, low: 3n, high: 100n },
    ];
    await member.work.join([first, second]);
    expect(member.calls.sort()).toEqual(['pause commands/0', 'pause commands/1', 'resume commands/0', 'resume commands/1', 'seek commands/0 5', 'seek commands/1 3']); // prettier-ignore
    expect(member.work.take(first, [record(5), record(6), record(7)])).toBe(7n);
    expect([...member.running.keys()]).toEqual(['5', '7']);
  });

  it('retries the request for the start offsets when it failed', async () => {
    const member = new Member();
    member.startsFail = 1;
    const joined = member.work.join([first]);
    await settled();
    expect(member.work.take(first, [record(0)])).toBeUndefined();
    await member.pass(100);
    await joined;
    expect(member.calls).toEqual(['pause commands/0', 'seek commands/0 0', 'resume commands/0']);
  });

  it('lets no partition wait for another one whose start offset is not known yet', async () => {
    let isReported = false;
    const member = new Member({}, ({ partition }) =>
      partition === 0 && !isReported ? Promise.reject(new Error('not now')) : Promise.resolve(5n),
    );
    const second = { ...first, partition: 1 };
    member.starts = [first, second].map((partition) => ({
      ...partition,
      committed: undefined,
      metadata: undefined,
      low: 0n,
      high: 100n,
    }));
    const joined = member.work.join([first, second]);
    await settled();
    expect(member.calls.filter((call) => call.startsWith('seek'))).toEqual(['seek commands/1 5']);
    isReported = true;
    await member.pass(100);
    await joined;
    expect(member.calls.filter((call) => call.startsWith('seek'))).toEqual(['seek commands/1 5', 'seek commands/0 5']);
  });

  it('retries the start of an owned topic while the partitions of another topic wait for it', async () => {
    let owned = 0;
    let serve: (offset: bigint | undefined) => void = () => undefined;
    const serving = new Promise<bigint | undefined>((resolve) => (serve = resolve));
    const member = new Member({}, ({ topic }) => {
      if (topic !== 'journal') return serving;
      if (++owned === 1) return Promise.reject(new Error('not now'));
      serve(undefined);
      return Promise.resolve(undefined);
    });
    const journal = { topic: 'journal', partition: 0 };
    member.starts = [first, journal].map((partition) => ({
      ...partition,
      committed: 2n,
      metadata: undefined,
      low: 0n,
      high: 100n,
    }));
    const joined = member.work.join([first, journal]);
    await settled();
    await member.pass(100);
    await joined;
    expect(member.calls.filter((call) => call.startsWith('seek')).sort()).toEqual([
      'seek commands/0 2',
      'seek journal/0 2',
    ]);
  });

  it('begins at the given start offset, never below the first kept one, and ignores the metadata of the commit then', async () => {
    const asked: unknown[] = [];
    const member = new Member({}, (_assignment, ...reported) => (asked.push(reported), Promise.resolve(4n)));
    member.starts = [{ ...first, committed: 9n, metadata: encodeFinished(9n, [10n]), low: 6n, high: 100n }];
    await member.work.join([first]);
    expect(asked).toEqual([[9n, 6n]]);
    expect(member.calls[1]).toBe('seek commands/0 6');
    member.work.take(first, [record(9), record(10)]);
    expect([...member.running.keys()]).toEqual(['9', '10']);
  });

  it('goes nowhere on the late answer of an assignment that has ended', async () => {
    const asked: { partition: number; answer: (offset: bigint) => void }[] = [];
    const member = new Member({}, ({ partition }) => new Promise((answer) => asked.push({ partition, answer })));
    const second = { ...first, partition: 1 };
    member.starts = [first, second].map((partition) => ({
      ...partition,
      committed: undefined,
      metadata: undefined,
      low: 0n,
      high: 100n,
    }));
    const joined = member.work.join([first, second]);
    await settled();
    const again = member.work.join([first]);
    await settled();
    member.calls.length = 0;
    for (const { answer } of asked.slice(0, 2)) answer(7n);
    await joined;
    expect([asked.map(({ partition }) => partition), member.calls]).toEqual([[0, 1, 0], []]);
    asked[2]!.answer(5n);
    await again;
    expect(member.calls).toEqual(['seek commands/0 5', 'resume commands/0']);
  });

  it('commits what was finished, one commit at a time', async () => {
    const member = new Member();
    await member.work.join([first]);
    member.work.take(
      first,
      [0, 1, 2, 3].map((offset) => record(offset)),
    );
    await member.finish(1);
    expect(member.commits).toEqual([]);
    await member.pass(100);
    await member.finish(0);
    await member.pass(100);
    expect(member.committed).toEqual([[[0n, encodeFinished(0n, [1n])]]]);
    await member.answer(0);
    await member.pass(100);
    expect(member.committed.slice(1)).toEqual([[[2n, '']]]);
    await member.answer(1);
    await member.pass(1000);
    expect(member.commits).toHaveLength(2);
  });

  it('sends what could not be committed with the next commit', async () => {
    const member = new Member();
    await member.work.join([first]);
    member.work.take(first, [record(0)]);
    await member.finish(0);
    await member.pass(100);
    await member.answer(0, new Error('not now'));
    await member.pass(200);
    expect(member.committed).toEqual([[[1n, '']], [[1n, '']]]);
  });

  it('repeats its last commit each minute: one that got no answer may have set the group back after it', async () => {
    const member = new Member();
    await member.work.join([first]);
    member.work.take(first, [record(0)]);
    await member.finish(0);
    await member.pass(100);
    await member.answer(0);
    await member.pass(60_000);
    await member.answer(1);
    await member.pass(60_000);
    expect(member.committed).toEqual([[[1n, '']], [[1n, '']], [[1n, '']]]);
    member.work.end();
    await member.answer(2);
    await member.pass(60_000);
    expect(member.commits).toHaveLength(3);
  });

  it.each([
    [new Error('not now'), 1],
    [new GenerationUnknownError('no heartbeat yet'), 0],
  ])(
    'warns of a commit that failed (%s) %d times: the first half second after a join is no fault',
    async (error, times) => {
      const warn = jest.fn();
      const silent = () => undefined;
      const member = new Member({ log: { debug: silent, info: silent, warn, error: silent } });
      await member.work.join([first]);
      member.work.take(first, [record(0)]);
      await member.finish(0);
      await member.pass(100);
      await member.answer(0, error);
      await member.pass(200);
      expect([member.commits.length, warn.mock.calls.length]).toEqual([2, times]);
    },
  );

  it('lets an epoch that is over touch neither frontier nor commit', async () => {
    const member = new Member();
    await member.work.join([first]);
    member.work.take(first, [record(0), record(1)]);
    await member.work.join([first]);
    await member.finish(0, 1);
    await member.pass(1000);
    expect(member.commits).toEqual([]);
    expect(member.signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    member.work.end();
    expect(member.work.take(first, [record(0)])).toBeUndefined();
  });

  it('drains: nothing new, what runs ends and counts, one last commit', async () => {
    const member = new Member();
    await member.work.join([first]);
    member.work.take(first, [record(0, 'a'), record(1, 'a'), record(2, 'b')]);
    await member.finish(0);
    let isDrained = false;
    void member.work.drain(1000).then(() => (isDrained = true));
    expect(member.signals[0]!.aborted).toBe(true);
    expect(member.committed).toEqual([[[1n, '']]]);
    await member.answer(0);
    expect(member.work.take(first, [record(3)])).toBeUndefined();
    await member.finish(1);
    expect(isDrained).toBe(false);
    await member.finish(2);
    expect(member.committed[1]).toEqual([[3n, '']]);
    await member.answer(1);
    expect(isDrained).toBe(true);
  });

  it('drains what the last handlers gave to another partition', async () => {
    let given = Promise.resolve();
    let publish = () => undefined as void;
    let finish = () => undefined as void;
    const running = new Promise<void>((resolve) => (finish = resolve));
    const member = new Member({
      assigned: ({ topic }) => ({
        ...{ begin: () => undefined, add: () => undefined, changes: 0, oldestSinceMs: undefined },
        ...{ commitPoint: () => undefined, backlog: () => ({ records: 0, bytes: 0, span: 0 }) },
        settled: () => (topic === 'journal' ? given : running),
      }),
    });
    const journal = { topic: 'journal', partition: 0 };
    member.starts.push({ ...journal, committed: undefined, metadata: undefined, low: 0n, high: 100n });
    await member.work.join([first, journal]);
    let isDrained = false;
    void member.work.drain(1000).then(() => (isDrained = true));
    await settled();
    given = new Promise((resolve) => (publish = resolve));
    finish();
    await settled();
    expect(isDrained).toBe(false);
    publish();
    await settled();
    expect(isDrained).toBe(true);
  });

  it('ends what has settled in a drain once, before the last commit, so that nothing begins that this commit lacks', async () => {
    const steps: string[] = [];
    let finish = () => undefined as void;
    let commitRest = () => undefined as void;
    const handling = new Promise<void>((resolve) => (finish = resolve));
    let publishing = Promise.resolve();
    let changes = 0;
    const journal = { topic: 'journal', partition: 0 };
    const member = new Member({
      assigned: ({ topic }) => ({
        ...{ begin: () => undefined, add: () => undefined, oldestSinceMs: undefined },
        ...{ backlog: () => ({ records: 0, bytes: 0, span: 0 }), commitPoint: () => ({ offset: 1n, metadata: '' }) },
        get changes() {
          return changes;
        },
        settled: () => (topic === 'journal' ? publishing : handling),
        end: () => void steps.push(`${topic} ends`),
      }),
      port: {
        ...{ seek: () => undefined, pause: () => undefined, resume: () => undefined, topicId: () => undefined },
        starts: (all) =>
          Promise.resolve(
            all.map((one) => ({ ...one, committed: undefined, metadata: undefined, low: 0n, high: 100n })),
          ),
        commit: (points) => {
          steps.push(`commit of ${points.map(({ topic }) => topic).join(' and ')}`);
          return new Promise((resolve) => (commitRest = resolve));
        },
      },
    });
    await member.work.join([first, journal]);
    const drained = member.work.drain(1000);
    await settled();
    changes++;
    let publish = () => undefined as void;
    publishing = new Promise((resolve) => (publish = resolve));
    finish();
    await settled();
    expect(steps).toEqual(['commands ends']);
    publish();
    await settled();
    commitRest();
    await drained;
    member.work.end();
    expect(steps).toEqual(['commands ends', 'journal ends', 'commit of commands and journal']);
  });

  it('drains no longer than the deadline', async () => {
    const member = new Member();
    await member.work.join([first]);
    member.work.take(first, [record(0), record(1)]);
    await member.finish(1);
    const drained = member.work.drain(1000);
    await member.answer(0);
    await member.pass(1000);
    await drained;
    expect(member.committed).toEqual([[[0n, encodeFinished(0n, [1n])]]]);
  });

  it('drains until the later of two deadlines', async () => {
    const member = new Member();
    await member.work.join([first]);
    member.work.take(first, [record(0)]);
    let isDrained = false;
    const drained = Promise.all([member.work.drain(1000), member.work.drain(5000), member.work.drain(10)]).then(
      () => (isDrained = true),
    );
    await member.pass(1000);
    await member.pass(3999);
    expect(isDrained).toBe(false);
    await member.finish(0);
    await member.answer(0);
    await drained;
    expect(member.committed).toEqual([[[1n, '']]]);
  });

  it('does not wait for what runs when it is out of the group already', async () => {
    const member = new Member();
    member.starts[0]!.committed = 0n;
    await member.work.join([first]);
    member.work.take(first, [record(0)]);
    const drained = member.work.drain(1000);
    await member.answer(0, new MembershipLostError('gone'));
    await drained;
    expect(member.commits).toHaveLength(1);
  });

  /** Offsets of a fetch response from the first to the last offset. */
  const fetched = (from: number, last: number) => ({ from: BigInt(from), next: BigInt(last + 1) });

  it('takes nothing from a fetch that began elsewhere: another broker may answer a fetch from before the seek', async () => {
    const member = new Member();
    member.starts[0]!.committed = 5n;
    await member.work.join([first]);
    member.calls.length = 0;
    expect(member.work.take(first, [record(9)], fetched(9, 9))).toBeUndefined();
    expect(member.work.take(first, [record(3)], fetched(3, 3))).toBeUndefined();
    expect(member.calls).toEqual(['seek commands/0 5', 'seek commands/0 5']);
    expect(member.work.take(first, [record(5)], fetched(5, 5))).toBe(5n);
    expect(member.work.take(first, [record(10)], fetched(10, 10))).toBeUndefined();
    expect(member.calls[2]).toBe('seek commands/0 6');
    expect([...member.running.keys()]).toEqual(['5']);
  });

  it('continues after offsets without records, and fetches records again that had no room', async () => {
    const member = new Member({ watermarks: { ...defaultWatermarks, records: 1 } });
    await member.work.join([first]);
    member.calls.length = 0;
    // Offset 1 is the control record that ends a transaction.
    expect(member.work.take(first, [record(0)], fetched(0, 1))).toBe(0n);
    expect(member.work.take(first, [record(2), record(3)], fetched(2, 3))).toBe(2n);
    expect(member.work.take(first, [record(3)], fetched(3, 3))).toBeUndefined();
    await member.finish(0, 2);
    expect(member.work.take(first, [record(3)], fetched(3, 3))).toBe(3n);
    expect(member.calls.filter((call) => call.startsWith('seek'))).toEqual([]);
  });

  it('accepts a stray fetch that is repeated after each seek: the records in between are deleted', async () => {
    const member = new Member();
    await member.work.join([first]);
    expect(member.work.take(first, [record(7)], fetched(7, 7))).toBeUndefined();
    expect(member.work.take(first, [record(7)], fetched(7, 7))).toBeUndefined();
    expect(member.work.take(first, [record(7)], fetched(7, 7))).toBe(7n);
    expect(member.work.take(first, [record(8)], fetched(8, 8))).toBe(8n);
  });

  it('stops fetching a full partition and resumes at half of the watermark', async () => {
    const member = new Member({ watermarks: { ...defaultWatermarks, records: 4 } });
    await member.work.join([first]);
    member.calls.length = 0;
    expect(
      member.work.take(
        first,
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((offset) => record(offset)),
      ),
    ).toBe(7n);
    expect(member.calls).toEqual(['pause commands/0']);
    await member.finish(0, 1, 2, 3, 4, 5);
    expect(member.calls).toEqual(['pause commands/0']);
    await member.finish(6);
    expect(member.calls).toEqual(['pause commands/0', 'resume commands/0']);
  });

  it('keeps a paused topic paused over a join, and when there is room again', async () => {
    const member = new Member({ watermarks: { ...defaultWatermarks, records: 2 } });
    await member.work.join([first]);
    member.work.take(first, [record(0), record(1)]);
    member.work.pauseTopics(['commands']);
    member.calls.length = 0;
    await member.finish(0, 1);
    await member.work.join([first]);
    expect(member.calls).toEqual(['pause commands/0', 'seek commands/0 0']);
    member.work.resumeTopics(['commands']);
    expect(member.calls.at(-1)).toBe('resume commands/0');
  });

  it('reports records that were deleted before the group read them, and continues at the first kept one', async () => {
    const missed: unknown[] = [];
    const second = { ...first, partition: 1 };
    const member = new Member({ onMissed: (one) => missed.push(one) });
    member.starts = [
      { ...first, committed: 3n, metadata: undefined, low: 8n, high: 100n },
      { ...second, committed: 8n, metadata: undefined, low: 8n, high: 100n },
    ];
    await member.work.join([first, second]);
    expect(missed).toEqual([{ ...first, committed: 3n, low: 8n }]);
    expect(member.calls).toContain('seek commands/0 8');
  });
});

describe('a topic that was deleted and made again', () => {
  const OLD = 'o'.repeat(22);
  const NEW = 'n'.repeat(22);
  const fetched = (from: number, last: number) => ({ from: BigInt(from), next: BigInt(last) + 1n });
  const seeks = ({ calls }: Member) => calls.filter((call) => call.startsWith('seek'));

  function memberOn(topicId: string | undefined, start: Partial<PartitionStart>, ownedTopic?: string) {
    const replaced: unknown[] = [];
    const onReplaced = (one: unknown) => void replaced.push(one);
    const member = new Member(ownedTopic === undefined ? { onReplaced } : { onReplaced, ownedTopic });
    member.topicId = topicId;
    member.starts = [{ ...first, committed: undefined, metadata: undefined, low: 0n, high: 100n, ...start }];
    return Object.assign(member, { replaced });
  }

  it('is read from its beginning, whatever the commit of the other one says, and committed as itself at once', async () => {
    const member = memberOn(NEW, { committed: 5n, metadata: withTopicId(encodeFinished(5n, [7n]), OLD), low: 2n });
    await member.work.join([first]);
    expect(seeks(member)).toEqual(['seek commands/0 2']);
    expect(member.replaced).toEqual([first]);
    member.work.take(first, [record(5), record(7)]);
    expect([...member.running.keys()]).toEqual(['5', '7']);
    await member.pass(100);
    expect(member.committed).toEqual([[[5n, withTopicId('', NEW)]]]);
  });

  it('is noticed while it is read: what was taken of it meanwhile is committed under the other one', async () => {
    const member = memberOn(OLD, { committed: 5n, metadata: withTopicId('', OLD) });
    await member.work.join([first]);
    expect(member.work.isOutdated).toBe(false);
    member.topicId = NEW;
    expect(member.work.isOutdated).toBe(true);
    member.work.take(first, [record(5)]);
    await member.finish(5);
    await member.pass(100);
    expect(member.committed).toEqual([[[6n, withTopicId('', OLD)]]]);
    await member.work.join([first]);
    expect(member.work.isOutdated).toBe(false);
    expect(seeks(member)).toEqual(['seek commands/0 5', 'seek commands/0 0']);
    expect(member.replaced).toEqual([first]);
  });

  it('is noticed also where the broker has deleted the commits together with the topic', async () => {
    const member = memberOn(OLD, {});
    await member.work.join([first]);
    member.topicId = NEW;
    await member.work.join([first]);
    expect(member.replaced).toEqual([first]);
  });

  it.each([
    ['of the same topic', withTopicId('', NEW), []],
    ['of a release that did not name it', '', [[[9n, withTopicId('', NEW)]]]],
  ])('is not suspected after retention: a commit %s counts', async (_which, metadata, committed) => {
    const member = memberOn(NEW, { committed: 9n, metadata, low: 9n, high: 9n });
    await member.work.join([first]);
    expect(seeks(member)).toEqual(['seek commands/0 9']);
    expect(member.replaced).toEqual([]);
    await member.pass(100);
    expect(member.committed).toEqual(committed);
  });

  it('is noticed where it happens between the two answers about where to begin: the offsets are of the topic that was told first', async () => {
    const member = memberOn(NEW, { committed: 5n, metadata: withTopicId('', OLD), low: 2n, topicId: OLD });
    await member.work.join([first]);
    expect(seeks(member)).toEqual(['seek commands/0 5']);
    expect([member.work.isOutdated, member.replaced]).toEqual([true, []]);
    member.work.take(first, [record(5)]);
    await member.finish(5);
    await member.pass(100);
    expect(member.committed).toEqual([[[6n, withTopicId('', OLD)]]]);
    member.starts = [{ ...first, committed: 6n, metadata: withTopicId('', OLD), low: 0n, high: 100n }];
    await member.work.join([first]);
    expect(seeks(member).at(-1)).toBe('seek commands/0 0');
    expect([member.work.isOutdated, member.replaced]).toEqual([false, [first]]);
  });

  it('is not looked for where the group only owns a topic', async () => {
    const member = memberOn(NEW, { committed: 900n, metadata: withTopicId('', OLD) }, 'commands');
    await member.work.join([first]);
    member.topicId = OLD;
    expect(seeks(member)).toEqual(['seek commands/0 900']);
    expect([member.replaced, member.work.isOutdated]).toEqual([[], false]);
  });

  it('waits for a log that ends before the commit, as after the election of a leader', async () => {
    const member = memberOn(NEW, { committed: 9n, metadata: withTopicId('', NEW), high: 7n });
    const joined = member.work.join([first]);
    await settled();
    await member.pass(30_000);
    expect(seeks(member)).toEqual([]);
    member.starts[0]!.high = 9n;
    await member.pass(5_000);
    await joined;
    expect(seeks(member)).toEqual(['seek commands/0 9']);
    expect(member.replaced).toEqual([]);
  });

  it('takes a log for cut that ends before the commit for a minute', async () => {
    const member = memberOn(NEW, { committed: 9n, metadata: withTopicId('', NEW), high: 7n });
    const joined = member.work.join([first]);
    await settled();
    await member.pass(60_000);
    await joined;
    expect(seeks(member)).toEqual(['seek commands/0 0']);
    expect(member.replaced).toEqual([first]);
  });

  it('takes no new record of a cut log for a finished one', async () => {
    const member = memberOn(NEW, { committed: 5n, metadata: withTopicId(encodeFinished(5n, [6n, 8n]), NEW), high: 8n });
    await member.work.join([first]);
    member.work.take(first, [record(5), record(6)]);
    expect([...member.running.keys()]).toEqual(['5', '6']);
  });

  it('is joined anew where the log ends before what was fetched: kafkajs goes back to its beginning then', async () => {
    const member = memberOn(undefined, { committed: 5n });
    await member.work.join([first]);
    for (const isOutdated of [false, false, true]) {
      expect(member.work.take(first, [record(0)], fetched(0, 0))).toBeUndefined();
      expect(member.work.isOutdated).toBe(isOutdated);
    }
    await member.work.join([first]);
    expect(member.work.isOutdated).toBe(false);
  });
});

it('tells work that has ended that its partition has left, unless this member has it again, and then after the next work was made', async () => {
  const second = { ...first, partition: 1 };
  const told: string[] = [];
  const pool = new KeyOrderedPool({ inFlight: 1 }, () => Promise.resolve('done'));
  const assigned = (assignment: Assignment) => {
    told.push(`made ${assignment.partition}`);
    return Object.assign(pool.workOn(assignment), { left: () => void told.push(`left ${assignment.partition}`) });
  };
  const member = new Member({ assigned });
  member.starts.push({ ...member.starts[0]!, ...second });
  await member.work.join([first, second]);
  await member.work.join([second]);
  await member.work.join([]);
  expect(told).toEqual(['made 0', 'made 1', 'made 1', 'left 0', 'left 1']);
});
