import { TOPICS } from '@tranche/contracts';
import * as kafka from '@tranche/kafka';
import { TopicReading } from './topic-reading.js';

jest.mock('@tranche/kafka');

const client = { brokers: ['fake:9092'], clientId: 'tranche-cli' };
const lines: string[] = [];
const reading = () => new TopicReading(client, 'test.', (line) => void lines.push(line));
const record = { key: 'k', rawKey: null, value: null, headers: {}, timestampMs: 0 };

/** A topic of two partitions with offsets 5 to 9, whose reader does this. */
function fakeTopic(read: kafka.LogReader['read']) {
  const bounds = { low: 5n, high: 10n, topicId: undefined };
  jest.mocked(kafka.topicOffsets).mockResolvedValue(new Map([[0, bounds], [1, bounds]])); // prettier-ignore
  jest.mocked(kafka.offsetsAt).mockResolvedValue(new Map([[0, 8n], [1, 2n]])); // prettier-ignore
  const close = jest.fn().mockResolvedValue(undefined);
  jest.mocked(kafka.LogReader).mockImplementation(() => ({ read, close }) as unknown as kafka.LogReader);
  return close;
}

afterEach(() => jest.useRealTimers());

it('reads each partition from the time on, or from what is kept of it, and only those that are wanted', async () => {
  const asked: [number, bigint, bigint][] = [];
  const close = fakeTopic(async function* (partition, from, until) {
    asked.push([partition, from, until]);
    yield await Promise.resolve([{ ...record, offset: from }]);
  });
  const took: string[] = [];
  const all = reading();
  expect(await all.read(TOPICS.events, { fromMs: 0 }, ({ topic, partition, offset }) => took.push(`${topic} ${partition} ${offset}`))).toBe(2); // prettier-ignore
  expect(asked).toEqual([[0, 8n, 10n], [1, 5n, 10n]]); // prettier-ignore
  expect(took).toEqual(['test.payments.events.v1 0 8', 'test.payments.events.v1 1 5']);
  expect(all.records).toBe(2);
  await reading().read(TOPICS.events, { fromMs: 0, partitionsOf: () => [1] }, () => undefined);
  expect(asked.slice(2)).toEqual([[1, 5n, 10n]]);
  expect(close).toHaveBeenCalledTimes(2);
});

it('reports how far it is on a long read', async () => {
  jest.useFakeTimers();
  fakeTopic(async function* (_partition, from) {
    yield await Promise.resolve([{ ...record, offset: from }]);
    jest.advanceTimersByTime(2_000);
    yield [{ ...record, offset: from + 1n }];
  });
  await reading().read(TOPICS.events, { fromMs: 0 }, () => undefined);
  expect(lines).toContainEqual(expect.stringMatching(/^read \d of 7 records$/));
});

it('ends with what to do where Kafka gives it nothing, as to a user who may not use its group', async () => {
  jest.useFakeTimers();
  const close = fakeTopic(async function* () {
    await new Promise(() => undefined);
  });
  const end = expect(reading().read(TOPICS.events, { fromMs: 0 }, () => undefined)).rejects.toThrow(
    'does this user have Read on it and on groups that begin with tranche-cli.?',
  );
  await jest.advanceTimersByTimeAsync(60_000);
  await end;
  expect(close).toHaveBeenCalled();
});
