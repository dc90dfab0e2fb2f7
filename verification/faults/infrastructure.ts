import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OwnProcess, runToEnd } from './own-process.js';
import type { Need } from './scenario.js';

/** tools/commands/faults.mjs passes one for each worker: how to start its Kafka and Redis, or the addresses that the environment names. */
export interface CommandLines {
  folder: string;
  kafka: {
    brokers: string;
    java?: string[];
    settings?: Record<string, string>;
    clusterId?: string;
    cluster?: { port: number; settings: Record<string, string> }[];
  };
  redis: { url: string; command?: string; args?: string[] };
}

/** Kafka and Redis of one worker. Its own ones are killed and restarted on the same port and in the same folder. */
export class Infrastructure {
  readonly folder: string;
  readonly brokers: string;
  readonly redisUrl: string;
  /** Only its own Kafka and Redis may be killed. */
  readonly isOwn: { kafka: boolean; redis: boolean };
  readonly replication: { replicationFactor: number; minInSyncReplicas: number } = {
    replicationFactor: 1,
    minInSyncReplicas: 1,
  };
  readonly #kafka: OwnProcess;
  readonly #redis: OwnProcess;
  #properties = '';
  #logFolder = '';
  #redisFolder = '';

  constructor(private readonly lines: CommandLines) {
    const { folder, kafka, redis } = lines;
    this.folder = folder;
    this.brokers = kafka.brokers;
    this.redisUrl = redis.url;
    this.isOwn = { kafka: kafka.java !== undefined, redis: redis.command !== undefined };
    this.#kafka = new OwnProcess('Kafka', portOf(kafka.brokers));
    this.#redis = new OwnProcess('Redis', portOf(redis.url));
  }

  async start(): Promise<void> {
    await Promise.all([this.freshKafka(), this.#freshRedis()]);
  }

  /** Restarts both, whatever state they are in. */
  async restart(): Promise<void> {
    await this.#redis.kill();
    await this.start();
  }

  /** Starts an empty Kafka: with hundreds of topics of earlier runs it becomes slow. */
  async freshKafka(): Promise<void> {
    const { folder, kafka } = this.lines;
    if (!kafka.java || !kafka.settings) return;
    await this.#kafka.kill();
    if (this.#logFolder !== '') rmSync(this.#logFolder, { recursive: true, force: true });
    this.#logFolder = mkdtempSync(join(folder, 'kafka-'));
    this.#properties = `${this.#logFolder}.properties`;
    const settings = Object.entries(kafka.settings).map(
      ([name, value]) => `${name}=${value.replace('FOLDER', this.#logFolder)}\n`,
    );
    writeFileSync(this.#properties, settings.join(''));
    await runToEnd('java', [
      ...kafka.java,
      'kafka.tools.StorageTool',
      'format',
      '-t',
      kafka.clusterId ?? '',
      '-c',
      this.#properties,
    ]);
    await this.startKafka();
  }

  has(need: Need): boolean {
    return this.isOwn[need];
  }

  killKafka(): Promise<void> {
    return this.#kafka.kill();
  }

  /** Starts Kafka on its existing log. */
  async startKafka(): Promise<void> {
    await this.#kafka.start('java', [...(this.lines.kafka.java ?? []), 'kafka.Kafka', this.#properties]);
  }

  killRedis(): Promise<void> {
    return this.#redis.kill();
  }

  /** Starts Redis on its append-only file. */
  async startRedis(): Promise<void> {
    const { command = '', args = [] } = this.lines.redis;
    await this.#redis.start(
      command,
      args.map((argument) => argument.replace('FOLDER', this.#redisFolder)),
    );
  }

  get redisFolder(): string {
    return this.#redisFolder;
  }

  /** Shows why a run could not continue. */
  get state(): string {
    return [...(this.isOwn.kafka ? [this.#kafka.state] : []), ...(this.isOwn.redis ? [this.#redis.state] : [])].join(
      '\n',
    );
  }

  async stop(): Promise<void> {
    await Promise.all([this.#kafka.kill(), this.#redis.kill()]);
  }

  async #freshRedis(): Promise<void> {
    if (!this.isOwn.redis) return;
    this.#redisFolder = join(this.folder, 'redis');
    mkdirSync(this.#redisFolder, { recursive: true });
    await this.startRedis();
  }
}

function portOf(address: string): number {
  return Number(/:(\d+)(?:\/\d*)?$/.exec(address.split(',')[0] ?? '')?.[1]);
}
