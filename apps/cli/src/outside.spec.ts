import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import * as kafka from '@tranche/kafka';
import type { RedisClient } from '@tranche/service-kit';
import { addCommandsCommand } from './commands/commands.command.js';
import { CannotTellError } from './exit.js';
import { addJournalCommand } from './journal/journal.command.js';
import { redisAnswers, unlessStalled } from './outside.js';
import { addTopicsCommand } from './topics/topics.command.js';

jest.mock('@tranche/kafka', () => {
  const actual = jest.requireActual<typeof kafka>('@tranche/kafka');
  return { ...actual, waitForKafka: jest.fn(actual.waitForKafka) };
});

/** Fails as the real one does, without kafkajs' pauses. */
const awayKafka: typeof kafka.waitForKafka = ({ brokers }, { log }) => {
  log.warn({ error: 'connect ECONNREFUSED' }, `Kafka does not answer at ${brokers.join(', ')}; trying again`);
  return Promise.reject(new Error('The operation was aborted'));
};

const folder = mkdtempSync(join(tmpdir(), 'tranche-cli-'));
const file = join(folder, 'commands.json');
writeFileSync(file, '{}');
const MERCHANTS_FILE = join(__dirname, '../../../config/merchants.demo.json');
const PEOPLE = ['--requested-by', 'alice', '--approved-by', 'bob', '--reason', 'the disk was lost, ticket 77', '--yes'];
const SKIP = ['skip', '--partition', '1', '--offset', '7', '--hash', 'h'];
const before = { ...process.env };
const printed: string[] = [];

/** Runs a command. Its time is over with the first failure that it prints. */
async function run(args: string[], env: Record<string, string>): Promise<unknown> {
  process.env = { PATH: before.PATH, ...env };
  const over = new AbortController();
  jest.spyOn(AbortSignal, 'timeout').mockReturnValue(over.signal);
  jest.spyOn(console, 'error').mockImplementation((line: string) => (printed.push(line), over.abort()));
  const program = new Command('tranche').exitOverride();
  for (const add of [addJournalCommand, addCommandsCommand, addTopicsCommand]) add(program, () => undefined);
  return program.parseAsync(['node', 'tranche', ...args]).catch((error: unknown) => error);
}

beforeEach(() => void printed.splice(0));
afterEach(() => {
  process.env = before;
  jest.restoreAllMocks();
});
afterAll(() => rmSync(folder, { recursive: true }));

const brokers = { KAFKA_BROKERS: '127.0.0.1:1' };

it.each([
  ['journal status', ['journal', 'status'], brokers],
  ['journal resume', ['journal', 'resume', ...PEOPLE], brokers],
  ['journal skip', ['journal', ...SKIP, ...PEOPLE], brokers],
  ['commands find', ['commands', 'find', 'an-id'], brokers],
  ['commands refused', ['commands', 'refused'], brokers],
  ['commands check', ['commands', 'check', file], { ...brokers, MERCHANTS_FILE }],
  ['topics', ['topics', '--plan'], brokers],
])('%s names setting, address, failure and what to do where Kafka is away', async (command, args, env) => {
  if (command !== 'journal status') jest.mocked(kafka.waitForKafka).mockImplementationOnce(awayKafka);
  const error = await run(args, env);
  expect(error).toBeInstanceOf(CannotTellError);
  expect((error as Error).message).toMatch(
    /^Kafka does not answer at 127\.0\.0\.1:1 \(KAFKA_BROKERS\) within 30 s: .*ECONNREFUSED.*\n {2}next: start it, or set KAFKA_BROKERS/,
  );
  expect(printed[0]).toMatch(/^Kafka does not answer at 127\.0\.0\.1:1; trying again for 30 s in all \(.*ECONNREFUSED/);
});

it.each([
  ['REDIS_URL', { REDIS_URL: 'redis://someone:a-password@127.0.0.1:1/0' }, 'Redis at 127.0.0.1:1 cannot be reached'],
  ['REDIS_CLUSTER_NODES', { REDIS_CLUSTER_NODES: '127.0.0.1:1' }, 'Redis at the cluster of 127.0.0.1:1 cannot be reached'],
  ['REDIS_SENTINEL_NODES', { REDIS_SENTINEL_NODES: '127.0.0.1:1', REDIS_SENTINEL_MASTER: 'm' }, 'Redis at the master m of the sentinels 127.0.0.1:1 cannot be reached'],
])('journal names %s, the address without its password, the failure and what to do where Redis is away', async (setting, env, where) => {
  jest.mocked(kafka.waitForKafka).mockResolvedValueOnce(undefined);
  const error = await run(['journal', 'status'], { ...brokers, ...env });
  expect(error).toBeInstanceOf(CannotTellError);
  const { message } = error as Error;
  expect(message).toContain(`${where}: `);
  expect(message).toContain(` (${setting}); no answer within 30 s\n  next: start it, or set REDIS_`);
  expect([message, ...printed].join()).not.toMatch(/aborted|a-password/);
}); // prettier-ignore

it('says that a setting is not set, because its default is then tried', async () => {
  const redis = { sendToEach: () => Promise.reject(new Error('Redis at 127.0.0.1:6379 cannot be reached: refused')) };
  const asked = redisAnswers(redis as unknown as RedisClient, 'REDIS_URL', 0);
  await expect(asked).rejects.toThrow('refused (REDIS_URL is not set, this is its default); no answer within 0 s');
});

it('names setting, address and rights where Kafka gives nothing of a topic for a minute', async () => {
  jest.useFakeTimers();
  const nothing = {
    [Symbol.asyncIterator]: () => ({ next: () => new Promise<IteratorResult<never>>(() => undefined) }),
  };
  const read = unlessStalled('t', { brokers: ['kafka:9092'], clientId: 'tranche-cli' }, nothing).next();
  const refused = expect(read).rejects.toThrow(
    /^t: Kafka at kafka:9092 \(KAFKA_BROKERS.*\) gave no record for 60 s\n {2}next: .*groups that begin with tranche-cli\./,
  );
  await jest.advanceTimersByTimeAsync(60_000);
  await refused;
  jest.useRealTimers();
});
