import { silentLog } from '@tranche/runtime';
import { fakeKafka, type FakeConsumer } from '../../test/fake-consumer.js';
import { kafkaMetrics } from '../kafka-metrics.js';
import * as clients from '../kafkajs/kafka-client.js';
import { GroupConsumer, type GroupConsumerOptions } from './group-consumer.js';
import { KeyOrderedPool } from '../core/key-ordered-pool.js';
import type { HandlerResult } from '../core/key-ordered-work.js';
import type { Assignment } from '../core/group-port.js';

jest.mock('../kafkajs/kafka-client.js');

const settled = () => new Promise((resolve) => setImmediate(resolve));

const members: Member[] = [];
// A member commits again and again as long as it has partitions, so its timer would keep Jest from its end.
afterEach(() => members.splice(0).forEach(({ fake }) => fake.stop()));

/** One member whose handlers run until the test ends them. */
class Member {
  fake!: FakeConsumer;
  readonly assignments: Assignment[] = [];
  readonly running = new Map<number, (verdict: HandlerResult) => void>();
  readonly consumer: GroupConsumer;
  readonly warnings: string[][] = [];
  readonly metrics = kafkaMetrics(undefined);
  notReady: () => string | undefined = () => undefined;
  /** Partitions as kafkajs knows them. */
  partitions: { topicId: string }[] = [];

  constructor(options: Partial<GroupConsumerOptions> = {}) {
    members.push(this);
    fakeKafka(clients, (fake) => (this.fake = fake));
    const pool = new KeyOrderedPool({ inFlight: 5000 }, ({ record }) => {
      return new Promise((resolve) => this.running.set(Number(record.offset), resolve));
    });
    this.consumer = new GroupConsumer({
      client: { brokers: ['fake:9092'], clientId: 'spec' },
      groupId: 'group',
      topics: ['records'],
      topicPrefix: '',
      log: { ...silentLog, warn: (fields) => void this.warnings.push((fields as { topics: string[] }).topics) },
      metrics: this.metrics,
      health: { addReadiness: (_name, check) => void (this.notReady = check), addLiveness: () => undefined },
      partitions: { records: 2 },
      assigned: (assignment) => {
        this.assignments.push(assignment);
        return pool.workOn(assignment);
      },
      ...options,
    });
  }

  /** kafkajs asks this before each join, and again after a pause if it throws. */
  get join(): () => unknown {
    const [of] = this.fake.config.partitionAssigners!;
    const assigner = of!({ cluster: {} as never, groupId: 'group', logger: {} as never });
    return () => assigner.protocol({ topics: ['records'] });
  }

  async start(): Promise<void> {
    await this.consumer.start();
    await settled();
  }

  knowsTopic(topicId: string, count = 2): void {
    this.partitions = Array.from({ length: count }, () => ({ topicId }));
    const cluster = { findTopicPartitionMetadata: () => this.partitions, refreshMetadata: () => Promise.resolve() };
    this.fake.config.partitionAssigners![0]!({ cluster: cluster as never, groupId: 'group', logger: {} as never });
  }
}

describe('a consumer whose group kafkajs has dropped', () => {
  let member: Member;
  beforeEach(async () => {
    member = new Member();
    await member.start();
    await member.fake.fetch({ offsets: Array.from({ length: 2000 }, (_, offset) => offset) });
  });

  it('ends its assignments at once, not only when the crash is reported', async () => {
    member.fake.stop();
    expect(member.assignments.map(({ signal }) => signal.aborted)).toEqual([true]);
    for (const finish of member.running.values()) finish('done');
    await settled();
    expect(member.fake.commits).toEqual([]);
  });

  it('accepts every call in the meantime, and continues with the next join', async () => {
    member.fake.stop();
    member.fake.calls.length = 0;
    member.consumer.pauseTopics(['records']);
    member.consumer.resumeTopics(['records']);
    for (const assignment of member.assignments) assignment.progress();
    expect(member.fake.calls).toEqual([]);
    member.fake.emit('consumer.crash', { error: new Error('gone'), restart: true });
    member.fake.join();
    await settled();
    expect(member.fake.calls).toEqual(['pause', 'seek 0', 'resume']);
  });

  it('can be closed', async () => {
    member.fake.stop();
    await member.consumer.close({ deadlineMs: 100 });
    expect(member.fake.calls.at(-1)).toBe('disconnect');
  });
});

describe('the first commit of a partition', () => {
  it('has ended before the group is joined again: kafkajs repeats it by itself, and would do so as a member of the next generation', async () => {
    const member = new Member();
    await member.start();
    const { join } = member;
    const ends: ((error?: Error) => void)[] = [];
    member.fake.commitOffsets = () =>
      new Promise<void>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve())));
    const [assignment] = member.assignments;
    const commits = Promise.allSettled([5n, 6n].map((offset) => member.consumer.commitStart(assignment!, offset)));
    expect(join).toThrow('what runs has to end');
    for (let turn = 0; turn < 3; turn++) await settled();
    expect(join).toThrow('what runs has to end');
    ends[0]!();
    await settled();
    expect(join).toThrow('what runs has to end');
    ends[1]!(new Error('not a member'));
    expect((await commits).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    join();
    await expect(member.consumer.commitStart(assignment!, 7n)).rejects.toThrow('aborted');
  });
});

it('leaves what was fetched before the seek and comes after it, and resolves nothing of it', async () => {
  const member = new Member();
  await member.start();
  member.fake.calls.length = 0;
  expect(await member.fake.fetch({ offsets: [50, 51] })).toBeUndefined();
  expect(member.fake.calls).toEqual(['seek 0']);
  expect(await member.fake.fetch({ offsets: [2, 3], from: 0 })).toBe('3');
  expect([...member.running.keys()]).toEqual([2, 3]);
});

it('joins again at the next fetch where a topic of the same name is another one, and counts it', async () => {
  const member = new Member();
  member.knowsTopic('o'.repeat(22));
  await member.start();
  const replaced = async () => (await member.metrics.replaced.get()).values.map(({ value }) => value);
  member.fake.emit('consumer.fetch');
  expect(await replaced()).toEqual([0]);
  member.knowsTopic('n'.repeat(22));
  expect(() => member.fake.emit('consumer.fetch')).toThrow(expect.objectContaining({ type: 'REBALANCE_IN_PROGRESS' }));
  member.fake.join();
  await settled();
  member.fake.emit('consumer.fetch');
  expect(await replaced()).toEqual([1]);
});

it('is not ready while a topic has fewer partitions than it must, and names both', async () => {
  const member = new Member();
  await member.start();
  expect(member.notReady()).toBeUndefined();
  member.knowsTopic('o'.repeat(22), 1);
  expect(member.notReady()).toBe('records has 1 partitions, must have at least 2');
});

it('is ready with more partitions, and warns once of each number of them', async () => {
  const member = new Member();
  await member.start();
  for (const count of [2, 3, 3, 4]) {
    member.knowsTopic('o'.repeat(22), count);
    member.fake.join();
  }
  expect(member.notReady()).toBeUndefined();
  expect(member.warnings).toEqual([3, 4].map((count) => [expect.stringContaining(`records has ${count} partitions, and only 2 are used`) as string])); // prettier-ignore
});

it('joins the group again where it cannot work any more, once, and again when it can', async () => {
  let canWork = true;
  const member = new Member({ ownedTopic: 'records', canWork: () => canWork });
  const { fake } = member;
  await member.start();
  const fetch = () => fake.emit('consumer.fetch');
  const rejoins = async () => {
    expect(fetch).toThrow(expect.objectContaining({ type: 'REBALANCE_IN_PROGRESS' }) as Error);
    expect(member.join).toThrow('what runs has to end');
    for (let turn = 0; turn < 5; turn++) await settled();
    expect(fetch).not.toThrow();
    const { metadata } = member.join() as { metadata: Buffer };
    fake.join();
    expect(fetch).not.toThrow();
    return metadata.includes('"canWork":false');
  };
  expect(fetch).not.toThrow();
  canWork = false;
  expect(await rejoins()).toBe(true);
  canWork = true;
  expect(await rejoins()).toBe(false);
});
