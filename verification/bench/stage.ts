import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from 'redis';
import { COMMAND_TOPICS, topicName, topicsOf, type TopicDefinition } from '@tranche/contracts';
import {
  BatchingProducer,
  createKafkaClient,
  ensureTopics,
  LogFollower,
  topicOffsets,
  type ConsumedRecord,
  type KafkaClient,
} from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { deleteTopics, waitFor } from '@tranche/testing';
import { commandRecord, MERCHANT, signedRecord } from './commands.js';
import { startScript, startService, type Running, type RunningService } from './processes.js';

export interface Infrastructure {
  brokers: string;
  redisUrl: string;
}

/** So many commands are spread over every partition. */
const FIRST = 1_000;

/** At a pace of 100 commands a second, V8 would need minutes to compile a gateway. So many commands at full speed come before it. */
export const WARM_UP = 20_000;

type OnAppend = (n: number, dueMs: number, appended: Promise<void>) => void;

/** Topics and index of one measurement, so that each begins empty; `await using` deletes them. */
export class Stage implements AsyncDisposable {
  readonly prefix = `bench-${randomBytes(4).toString('hex')}.`;
  readonly client: KafkaClient;
  readonly #producer: BatchingProducer;
  static readonly #standing = new Set<Stage>();

  private constructor(private readonly infrastructure: Infrastructure) {
    this.client = createKafkaClient({ brokers: infrastructure.brokers.split(','), clientId: 'bench' }, silentLog);
    this.#producer = new BatchingProducer({ client: this.client, log: silentLog });
  }

  static async open(infrastructure: Infrastructure): Promise<Stage> {
    const stage = new Stage(infrastructure);
    Stage.#standing.add(stage);
    const { client, prefix } = stage;
    const definitions = topicsOf('payment-gateway');
    await ensureTopics(client, { prefix, definitions, replicationFactor: 1, minInSyncReplicas: 1, log: silentLog });
    await stage.#producer.connect();
    return stage;
  }

  get commandTopic(): string {
    return topicName(this.prefix, COMMAND_TOPICS['partner-a']);
  }

  async append(n: number, isSigned = false): Promise<void> {
    const [topic, time] = [this.commandTopic, new Date().toISOString()];
    await this.#producer.send({ topic, ...(isSigned ? signedRecord(n, time, topic) : commandRecord(n, time)) });
  }

  /** Appends the commands from `from` up to, but without, `to`. */
  async fill(from: number, to: number, isSigned = false): Promise<void> {
    for (let n = from; n < to; n += 2_000) {
      const some = Array.from({ length: Math.min(2_000, to - n) }, (_, index) => this.append(n + index, isSigned));
      await Promise.all(some);
    }
  }

  /** Appends `perSecond` commands a second at equal intervals, whether earlier ones are acknowledged or not. */
  async pace(from: number, to: number, perSecond: number, onAppend?: OnAppend): Promise<void> {
    const begunMs = performance.now();
    const appends: Promise<void>[] = [];
    for (let n = from; n < to; n++) {
      const dueMs = begunMs + ((n - from) * 1000) / perSecond;
      await delay(dueMs - performance.now());
      const appended = this.append(n);
      onAppend?.(n, dueMs, appended);
      appends.push(appended);
    }
    await Promise.all(appends);
  }

  async records(topic: TopicDefinition): Promise<number> {
    const offsets = await topicOffsets(this.client, topicName(this.prefix, topic));
    return [...offsets.values()].reduce((sum, { low, high }) => sum + Number(high - low), 0);
  }

  /** Calls back with the records that come to the topic from now on. */
  async follow({ name: topic }: TopicDefinition, take: (records: ConsumedRecord[]) => void): Promise<AsyncDisposable> {
    const follower = new LogFollower({ client: this.client, topic, topicPrefix: this.prefix, log: silentLog });
    await follower.start({ onRecords: (_partition, records) => take(records) });
    return { [Symbol.asyncDispose]: () => follower.stop() };
  }

  static async warmBroker(infrastructure: Infrastructure, count: number): Promise<void> {
    await using stage = await Stage.open(infrastructure);
    let read = 0;
    await stage.fill(0, FIRST); // a cold broker may still deny that it leads a partition, which producers wait out
    await using reading = await stage.follow(COMMAND_TOPICS['partner-a'], (records) => (read += records.length));
    await stage.fill(FIRST, FIRST + count);
    await waitFor(() => read >= count, { timeoutMs: 120_000, what: 'the broker to be warm' });
  }

  static async removeAll(): Promise<void> {
    await Promise.all([...Stage.#standing].map((stage) => stage[Symbol.asyncDispose]()));
  }

  /** Deletes the topics and the Redis keys that begin with the prefix. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#producer.close();
    await deleteTopics(this.client, this.prefix);
    await this.removeKeys();
    Stage.#standing.delete(this);
  }

  /** Deletes the keys in one step, as if Redis had lost them. */
  removeKeys(): Promise<void> {
    return withRedis(this.infrastructure.redisUrl, async (redis) => {
      const keys = await redis.keys(`${this.prefix}*`);
      if (keys.length > 0) await redis.unlink(keys);
    });
  }
}

const connected = (url: string) => createClient({ url }).connect();
type Redis = Awaited<ReturnType<typeof connected>>;

export async function withRedis<T>(url: string, use: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = await connected(url);
  try {
    return await use(redis);
  } finally {
    await redis.close();
  }
}

/** Resolves to a number in Redis' answer to INFO. */
export const infoOf = (url: string, name: string): Promise<number> =>
  withRedis(url, async (redis) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(await redis.info())?.[1]));

export type PlatformKind = 'simulator' | 'lean';

/** Starts the platform that ours and all peers of a run call. `latencyMs` is a number, or a range such as 100-500. */
export function startPlatform(kind: PlatformKind, latencyMs: string): Promise<Running> {
  const env = { LATENCY_MS: latencyMs };
  if (kind === 'lean') return startScript({ main: ['lean-platform.js'], env, readyPath: '/' });
  const own = { HOST: '127.0.0.1', CODES_BY_AMOUNT: 'false', MERCHANTS_FILE: merchantsFile() };
  return startService('platform-simulator', { ...env, ...own });
}

/** Resets the simulator, so that the next contestant can send the same commands. The lean platform remembers nothing. */
export async function forget({ url }: Running): Promise<void> {
  await fetch(`${url}/simulator/reset`, { method: 'POST' });
}

export interface GatewayOptions extends Infrastructure {
  stage: Stage;
  platform: { url: string };
  inFlight: number;
  env?: Record<string, string>;
  /** Loads `profiler.ts`, which writes a profile to this file. */
  profileFile?: string;
  /** A minute, if it is not given. One that builds an index is ready when it has it. */
  readyTimeoutMs?: number;
}

export function startGateway(options: GatewayOptions): Promise<RunningService> {
  const { stage, platform, inFlight, brokers, redisUrl, env, profileFile, readyTimeoutMs } = options;
  const variables = {
    KAFKA_BROKERS: brokers,
    KAFKA_TOPIC_PREFIX: stage.prefix,
    REDIS_URL: redisUrl,
    MERCHANTS_FILE: merchantsFile(),
    PAYMENT_URL: platform.url,
    GATEWAY_IN_FLIGHT: String(inFlight),
    // The bench uses one rail only, so it may fill the whole limit.
    RAIL_IN_FLIGHT: String(inFlight),
    ...env,
  };
  return startService('payment-gateway', variables, profileFile, readyTimeoutMs);
}

/** Several gateways, of which each is ready before the next one starts, as one. */
export async function startGateways(each: readonly GatewayOptions[]): Promise<Running & { pids: number[] }> {
  const gateways: RunningService[] = [];
  for (const options of each) gateways.push(await startGateway(options));
  return {
    ...gateways[0]!,
    pids: gateways.map(({ pid }) => pid),
    assertRunning: () => gateways.forEach((gateway) => gateway.assertRunning()),
    [Symbol.asyncDispose]: async () =>
      void (await Promise.all(gateways.map((gateway) => gateway[Symbol.asyncDispose]()))),
  };
}

export const merchantsFile = (settings: object = {}): string =>
  ownFile(`merchants-${Object.keys(settings).join('-')}.json`, [{ ...MERCHANT, ...settings }]);

let folder: string | undefined;

/** Writes a file of this bench, which is deleted when this process ends. */
export function ownFile(name: string, content: unknown): string {
  if (folder === undefined) {
    const made = (folder = mkdtempSync(join(tmpdir(), 'tranche-bench-')));
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
  }
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(content));
  return file;
}
