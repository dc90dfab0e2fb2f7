import { TOPICS } from '@tranche/contracts';
import * as kafka from '@tranche/kafka';
import type { JournalAccess } from './journal-access.js';
import { resume } from './resume.js';

jest.mock('@tranche/kafka', () => ({ ...jest.requireActual<object>('@tranche/kafka'), ...stubs() }));

function stubs() {
  return { commitFor: jest.fn(), committedOffsets: jest.fn(), topicOffsets: jest.fn() };
}

const people = { requestedBy: 'alice', approvedBy: 'bob', reason: 'the disk was lost, ticket 77' };
const LOWS: Record<string, bigint> = { [TOPICS.journal.name]: 5n, [TOPICS.notifications.name]: 40n };

/** An installation whose partitions were read to the end; partition 3 is resumed. */
class Installation {
  readonly commits = new Map([
    ['payment-gateway payments.journal.v1 3', 90n],
    ['payment-gateway payments.journal.v1 4', 90n],
    ['payment-gateway.notifications payments.notifications.v1 3', 70n],
    ['payment-gateway.notifications payments.notifications.v1 4', 70n],
  ]);
  readonly sent: string[] = [];
  isIndexed = true;
  effects = 0;
  members = 0;

  constructor(private readonly failsAt = Infinity) {
    const { commitFor, committedOffsets, topicOffsets } = jest.mocked(kafka);
    commitFor.mockImplementation((_client, group, topic, ...offsets) =>
      this.#effect(() => offsets.forEach(({ partition, offset }) => this.commits.set(`${group} ${topic} ${partition}`, offset))),
    ); // prettier-ignore
    committedOffsets.mockImplementation((_client, group, topic) =>
      Promise.resolve(new Map([3, 4].map((partition) => [partition, this.commits.get(`${group} ${topic} ${partition}`)!]))),
    ); // prettier-ignore
    topicOffsets.mockImplementation((_client, topic) =>
      Promise.resolve(new Map([3, 4].map((partition) => [partition, { low: LOWS[topic] ?? 0n, high: LOWS[topic] ?? 0n, topicId: undefined }]))),
    ); // prettier-ignore
  }

  /** Fails at most once, before or after it took effect. */
  async #effect(act: () => void): Promise<void> {
    const at = this.effects++;
    if (at === this.failsAt) throw new Error('interrupted before');
    act();
    if (at + 0.5 === this.failsAt) throw new Error('interrupted after');
    await Promise.resolve();
  }

  get access(): JournalAccess {
    const send = ({ topic }: { topic: string }) => this.#effect(() => void this.sent.push(topic));
    return {
      ...{ client: {}, config: { rulesVersion: 1 }, gatewayGroup: 'payment-gateway', journal: TOPICS.journal.name },
      notificationsGroup: 'payment-gateway.notifications',
      topic: ({ name }: { name: string }) => name,
      redisTimeMs: () => Promise.resolve(Date.now()),
      members: () => Promise.resolve(Array.from({ length: this.members }, () => ({ groupId: 'payment-gateway.notifications' }))),
      reader: () => ({ read: nothing }),
      read: nothing,
      index: { drop: () => this.#effect(() => void (this.isIndexed = false)) },
      producer: { send, sendAll: () => Promise.resolve() },
    } as unknown as JournalAccess; // prettier-ignore
  }

  get next() {
    const [journal, , notifications] = this.commits.values();
    return { journal, notifications, isIndexed: this.isIndexed };
  }
}

async function* nothing() {
  await Promise.resolve();
}

const DONE = { journal: 5n, notifications: 40n, isIndexed: false };

it('sets back the commits of the journal and of the notifications, of its partitions alone', async () => {
  const installation = new Installation();
  await resume(installation.access, [3], people);
  expect(installation.next).toEqual(DONE);
  expect([...installation.commits.values()].filter((_, at) => at % 2 === 1)).toEqual([90n, 70n]);
});

it('interrupted anywhere the partition stays stopped until all was done, and a second run ends it', async () => {
  const whole = new Installation();
  await resume(whole.access, [3], people);
  expect(whole.effects).toBeGreaterThanOrEqual(5);
  for (let failsAt = 0; failsAt < whole.effects; failsAt += 0.5) {
    const installation = new Installation(failsAt);
    await expect(resume(installation.access, [3], people)).rejects.toThrow('Run it again');
    const { journal, ...rest } = installation.next;
    // Before its first step nothing has changed, so the partition is stopped because of what it lost.
    const isStopped = failsAt === 0 ? journal === 90n : journal! > 1n << 61n;
    expect({ failsAt, goesOn: !isStopped }).toEqual({ failsAt, goesOn: failsAt === whole.effects - 0.5 });
    if (!isStopped) expect({ journal, ...rest }).toEqual(DONE);
    await resume(installation.access, [3], people);
    expect(installation.next).toEqual(DONE);
  }
});

it('changes nothing while a gateway reads notifications', async () => {
  const installation = new Installation();
  installation.members = 1;
  await expect(resume(installation.access, [3], people)).rejects.toThrow('payment-gateway.notifications');
  expect(installation.next).toMatchObject({ notifications: 70n, isIndexed: true });
});
