import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { KafkaCluster, type ClusterLines } from './kafka-cluster.js';
import { OwnProcess } from './own-process.js';

/** A scenario that kills or restarts one of these needs it for itself. */
export type Need = 'kafka' | 'redis';

/** tools/commands/faults.mjs passes one for each worker: how to start its Kafka and Redis, or the addresses that the environment names. */
export interface CommandLines {
  folder: string;
  kafka: { brokers: string; own?: ClusterLines };
  redis: { url: string; command?: string; args?: string[] };
}

/** Kafka and Redis of one worker. Its own ones are killed and restarted on the same port and in the same folder. */
export class Infrastructure {
  readonly folder: string;
  readonly brokers: string;
  readonly redisUrl: string;
  readonly redisFolder: string;
  /** Undefined if others use this Kafka too: it may not be killed then. */
  readonly kafka: KafkaCluster | undefined;
  readonly #redis: OwnProcess;

  constructor(private readonly lines: CommandLines) {
    const { folder, kafka, redis } = lines;
    this.folder = folder;
    this.brokers = kafka.brokers;
    this.redisUrl = redis.url;
    this.redisFolder = join(folder, 'redis');
    this.kafka = kafka.own && new KafkaCluster(folder, kafka.own);
    this.#redis = new OwnProcess('Redis', Number(new URL(redis.url).port));
  }

  /** With three brokers, two must store a record before it is acknowledged. */
  get replication(): { replicationFactor: number; minInSyncReplicas: number } {
    const replicationFactor = this.kafka?.size ?? 1;
    return { replicationFactor, minInSyncReplicas: Math.ceil(replicationFactor / 2) };
  }

  /** Starts both, whatever state they are in: Kafka empty, Redis on its append-only file. */
  async start(): Promise<void> {
    await Promise.all([this.kafka?.start(), this.startRedis()]);
  }

  /** Only our own Kafka and Redis may be killed. */
  has(need: Need): boolean {
    return need === 'kafka' ? this.kafka !== undefined : this.lines.redis.command !== undefined;
  }

  killRedis(): Promise<void> {
    return this.#redis.kill();
  }

  async startRedis(): Promise<void> {
    const { command, args = [] } = this.lines.redis;
    if (command === undefined) return;
    await this.#redis.kill();
    mkdirSync(this.redisFolder, { recursive: true });
    await this.#redis.start(
      command,
      args.map((argument) => argument.replace('FOLDER', this.redisFolder)),
    );
  }

  /** Shows why a run could not continue. */
  get state(): string {
    return [...(this.kafka ? [this.kafka.state] : []), ...(this.has('redis') ? [this.#redis.state] : [])].join('\n');
  }

  async stop(): Promise<void> {
    await Promise.all([this.kafka?.stop(), this.#redis.kill()]);
  }
}
