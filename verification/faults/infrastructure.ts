import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OwnProcess, runToEnd } from './own-process.js';
import type { Need } from './scenario.js';

/** What tools/commands/faults.mjs hands over for each worker: how to start its Kafka and Redis, or where those are that the environment names. */
export interface CommandLines {
  folder: string;
  kafka: {
    brokers: string;
    java?: string[];
    settings?: Record<string, string>;
    clusterId?: string;
    /** Of several brokers, where there are several. */
    cluster?: { port: number; settings: Record<string, string> }[];
  };
  redis: { url: string; command?: string; args?: string[] };
  /** Root of an older release, built. */
  release?: string;
}

/** Kafka and Redis of one worker. Own ones are killed and started again on their port and in their folder. */
export class Infrastructure {
  readonly folder: string;
  readonly brokers: string;
  readonly redisUrl: string;
  /** Whether they may be killed. */
  readonly isOwn: { kafka: boolean; redis: boolean };
  /** Root of the older release that `--from` names; the folder is named for its commit. */
  readonly release: string | undefined;
  /** Of the topics of a run. */
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
    const { folder, kafka, redis, release } = lines;
    this.release = release;
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

  /** Both anew, whatever became of them. */
  async restart(): Promise<void> {
    await this.#redis.kill();
    await this.start();
  }

  /** An empty Kafka: one that has hundreds of topics of earlier runs grows slow. */
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
    return need === 'release' ? this.release !== undefined : this.isOwn[need];
  }

  killKafka(): Promise<void> {
    return this.#kafka.kill();
  }

  /** With the log that it had. */
  async startKafka(): Promise<void> {
    await this.#kafka.start('java', [...(this.lines.kafka.java ?? []), 'kafka.Kafka', this.#properties]);
  }

  killRedis(): Promise<void> {
    return this.#redis.kill();
  }

  /** From its append-only file. */
  async startRedis(): Promise<void> {
    const { command = '', args = [] } = this.lines.redis;
    await this.#redis.start(
      command,
      args.map((argument) => argument.replace('FOLDER', this.#redisFolder)),
    );
  }

  /** Where an own Redis keeps its file. */
  get redisFolder(): string {
    return this.#redisFolder;
  }

  /** For who must find out why a run could not go on. */
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
