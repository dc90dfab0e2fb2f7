import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'redis';
import { COMMAND_TOPICS, topicName, topicsOf, type TopicDefinition } from '@tranche/contracts';
import { BatchingProducer, createKafkaClient, ensureTopics, topicOffsets, type KafkaClient } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { onFreePort, startChild, type Child } from './children.js';
import { commandRecord, MERCHANT, signedRecord, SIGNING_MERCHANT } from './commands.js';
import { withAdmin } from './peers/admin.js';

export interface Infrastructure {
  brokers: string;
  redisUrl: string;
}

const OWN_TOPICS = topicsOf('payment-gateway');

const FLUSH = `
local keys = redis.call('KEYS', ARGV[1])
for first = 1, #keys, 5000 do redis.call('UNLINK', unpack(keys, first, math.min(first + 4999, #keys))) end
return #keys`;

/** Topics and index of one measurement, so that each begins empty; `remove()` deletes them. */
export class Stage {
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
    await ensureTopics(client, {
      prefix,
      definitions: OWN_TOPICS,
      replicationFactor: 1,
      minInSyncReplicas: 1,
      log: silentLog,
    });
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
      await Promise.all(
        Array.from({ length: Math.min(2_000, to - n) }, (_, index) => this.append(n + index, isSigned)),
      );
    }
  }

  async records(topic: TopicDefinition): Promise<number> {
    const offsets = await topicOffsets(this.client, topicName(this.prefix, topic));
    return [...offsets.values()].reduce((sum, { low, high }) => sum + Number(high - low), 0);
  }

  static async removeAll(): Promise<void> {
    await Promise.all([...Stage.#standing].map((stage) => stage.remove()));
  }

  async remove(): Promise<void> {
    await this.#producer.close();
    await removeTraces(this.infrastructure, this.prefix);
    Stage.#standing.delete(this);
  }

  /** Deletes the gateway's index from Redis in one step, as if Redis had lost it; returns the number of keys. */
  async flushIndex(): Promise<number> {
    const redis = await createClient({ url: this.infrastructure.redisUrl }).connect();
    const removed = await redis.eval(FLUSH, { arguments: [`${this.prefix}gateway:*`] });
    await redis.close();
    return Number(removed);
  }
}

export interface Platform extends Child {
  readonly url: string;
}

export type PlatformKind = 'simulator' | 'lean';

/** Starts the platform that ours and all peers of a run call. `latencyMs` is a number, or a range such as 100-500. */
export function startPlatform(kind: PlatformKind, latencyMs: string): Promise<Platform> {
  return onFreePort(async (port) => {
    const url = `http://127.0.0.1:${port}`;
    const env = { PORT: String(port), LATENCY_MS: latencyMs };
    if (kind === 'lean')
      return { url, ...(await startChild({ main: ['verification/dist/bench/platform/main.js'], env, readyUrl: url })) };
    const main = ['apps/platform-simulator/dist/service.js'];
    const more = { HOST: '127.0.0.1', CODES_BY_AMOUNT: 'false', MERCHANTS_FILE: merchantsFile() };
    return { url, ...(await startChild({ main, env: { ...env, ...more }, readyUrl: `${url}/health/ready` })) };
  });
}

/** Resets the simulator, so that the next contestant can send the same commands. */
export async function forget({ url }: Platform, kind: PlatformKind): Promise<void> {
  if (kind === 'simulator') await fetch(`${url}/simulator/reset`, { method: 'POST' });
}

export interface Gateway extends Child {
  readonly managementUrl: string;
}

export interface GatewayOptions extends Infrastructure {
  stage: Stage;
  platform: { url: string };
  inFlight: number;
  env?: Record<string, string>;
}

/** The image sets the same option (Dockerfile): the young generation then holds a second of commands. */
export const IMAGE_NODE_OPTIONS = '--max-semi-space-size=64';

/** Starts the shipped gateway. `GATEWAY_NODE_OPTIONS` (separated by blanks) goes to its Node: `--cpu-prof --cpu-prof-dir=…`. */
export function startGateway({ stage, platform, inFlight, brokers, redisUrl, env }: GatewayOptions): Promise<Gateway> {
  return onFreePort(async (port) => {
    const managementUrl = `http://127.0.0.1:${port}`;
    const child = await startChild({
      main: ['apps/payment-gateway/dist/service.js'],
      env: {
        BIND_ADDRESS: '127.0.0.1',
        MANAGEMENT_PORT: String(port),
        KAFKA_BROKERS: brokers,
        KAFKA_TOPIC_PREFIX: stage.prefix,
        REDIS_URL: redisUrl,
        MERCHANTS_FILE: merchantsFile(),
        PAYMENT_URL: platform.url,
        GATEWAY_IN_FLIGHT: String(inFlight),
        // The bench uses one rail only, so it may fill the whole limit.
        RAIL_IN_FLIGHT: String(inFlight),
        ...env,
      },
      readyUrl: `${managementUrl}/health/ready`,
      nodeOptions: (process.env.GATEWAY_NODE_OPTIONS ?? IMAGE_NODE_OPTIONS).split(' ').filter(Boolean),
    });
    return { ...child, managementUrl };
  });
}

export const merchantsFile = (): string => ownFile('merchants.json', [MERCHANT]);
export const signingMerchantsFile = (): string => ownFile('merchants-who-sign.json', [SIGNING_MERCHANT]);

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

/** Deletes the topics and the Redis keys that begin with the prefix. */
export async function removeTraces({ brokers, redisUrl }: Infrastructure, prefix: string): Promise<void> {
  await withAdmin(brokers, async (admin) => {
    const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(prefix));
    if (topics.length > 0) await admin.deleteTopics({ topics });
  });
  const redis = await createClient({ url: redisUrl }).connect();
  for await (const names of redis.scanIterator({ MATCH: `${prefix}*`, COUNT: 1_000 }))
    if (names.length > 0) await redis.unlink(names);
  await redis.close();
}
