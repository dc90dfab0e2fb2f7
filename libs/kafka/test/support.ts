import { randomUUID } from 'node:crypto';
import { Test } from '@nestjs/testing';
import { Catch, type ExceptionFilter, type INestMicroservice, type Type } from '@nestjs/common';
import { throwError } from 'rxjs';
import type { HealthRegistry, Log } from '@tranche/runtime';
import { askAdmin } from '../src/kafkajs/kafka-client.js';
import {
  BatchingProducer,
  createKafkaClient,
  ensureTopics,
  LogFollower,
  topicOffsets,
  type ConsumedRecord,
  type KafkaClient,
} from '../src/index.js';
import { KafkaServer, type KafkaServerOptions } from '../src/nest.js';

/** `@tranche/testing` cannot be used, because it depends on this library. */
export function brokers(): string {
  const { KAFKA_BROKERS } = process.env;
  if (!KAFKA_BROKERS)
    throw new Error('KAFKA_BROKERS is not set: run `npm test`, or `npm run stack -- --infra` and set what it prints');
  return KAFKA_BROKERS;
}

jest.setTimeout(120_000);

interface LogLine {
  level: 'debug' | 'info' | 'warn' | 'error';
  fields: Record<string, unknown>;
  message: string;
}

interface CollectedLog extends Log {
  lines: LogLine[];
  has(level: LogLine['level'], text: string): boolean;
}

function collectedLog(): CollectedLog {
  const lines: LogLine[] = [];
  const at = (level: LogLine['level']) => (fields: Record<string, unknown>, message: string) =>
    void lines.push({ level, fields, message });
  return {
    lines,
    has: (level, text) => lines.some((line) => line.level === level && line.message.includes(text)),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
  };
}

class CollectedHealth implements HealthRegistry {
  private readonly readiness = new Map<string, () => string | undefined>();
  private readonly liveness = new Map<string, () => string | undefined>();

  addReadiness(name: string, check: () => string | undefined): void {
    this.readiness.set(name, check);
  }

  addLiveness(name: string, check: () => string | undefined): void {
    this.liveness.set(name, check);
  }

  notReady(): string[] {
    return [...this.readiness.values()].flatMap((check) => check() ?? []);
  }

  notLive(): string[] {
    return [...this.liveness.values()].flatMap((check) => check() ?? []);
  }
}

/** As `ProblemFilter` of service-kit. */
@Catch()
class PassesErrorsOn implements ExceptionFilter {
  catch(error: unknown) {
    return throwError(() => error);
  }
}

/** Topics, producer and log of one spec file; `close` ends everything that was created here. */
export class Bench {
  readonly prefix = `test-${randomUUID().slice(0, 8)}.`;
  readonly log = collectedLog();
  readonly health = new CollectedHealth();
  readonly client: KafkaClient;
  readonly producer: BatchingProducer;
  private readonly closing: (() => Promise<unknown>)[] = [];

  constructor(address: string = brokers()) {
    this.client = createKafkaClient({ brokers: address.split(','), clientId: 'spec' }, this.log);
    this.producer = new BatchingProducer({ client: this.client, log: this.log });
    this.atEnd(() => this.producer.close());
  }

  atEnd(close: () => Promise<unknown>): void {
    this.closing.unshift(close);
  }

  async close(): Promise<void> {
    for (const close of this.closing) await close();
  }

  async topics(names: string[], { partitions = 1, maxMessageBytes = 1_000_000 } = {}): Promise<void> {
    const definitions = names.map((name) => ({
      name,
      partitions,
      retentionMs: 3_600_000,
      cleanupPolicy: 'delete',
      maxMessageBytes,
    }));
    const direct = createKafkaClient({ brokers: brokers().split(','), clientId: 'spec' }, this.log);
    await ensureTopics(direct, {
      prefix: this.prefix,
      definitions,
      replicationFactor: 1,
      minInSyncReplicas: 1,
      log: this.log,
    });
    await topicOffsets(direct, this.prefix + names[0]);
  }

  /** Creates a topic whose records the broker compresses, so that they are read as Java clients write them. */
  async compressedTopic(name: string, compression: string): Promise<void> {
    const topic = this.prefix + name;
    await askAdmin(this.client, async (admin) => {
      const configEntries = [{ name: 'compression.type', value: compression }];
      await admin.createTopics({ waitForLeaders: true, topics: [{ topic, numPartitions: 1, configEntries }] });
      // The broker may confirm a creation before its list contains the topic.
      await until(`${topic} in the list`, async () => (await admin.listTopics()).includes(topic));
    });
  }

  send(topic: string, key: string, value: string, headers: Record<string, string> = {}) {
    return this.producer.send({ topic: this.prefix + topic, key, value: Buffer.from(value), headers });
  }

  server(overrides: Partial<KafkaServerOptions> = {}): KafkaServer {
    return new KafkaServer({
      client: this.client,
      producer: this.producer,
      groupId: `${this.prefix}group`,
      topicPrefix: this.prefix,
      deadLetterTopic: 'dead',
      inFlight: 16,
      retryDelayMs: 20,
      maxRetryDelayMs: 100,
      log: this.log,
      health: this.health,
      ...overrides,
    });
  }

  /** Starts a Nest microservice with these controllers on a KafkaServer. */
  async serve(
    controllers: Type[],
    overrides: Partial<KafkaServerOptions> = {},
    strategy = this.server(overrides),
  ): Promise<INestMicroservice> {
    const module = await Test.createTestingModule({ controllers }).compile();
    const app = module.createNestMicroservice({ strategy, logger: false });
    app.useGlobalFilters(new PassesErrorsOn());
    let isClosed = false;
    const close = app.close.bind(app);
    app.close = () => (isClosed ? Promise.resolve() : ((isClosed = true), close()));
    this.atEnd(() => app.close());
    await app.listen();
    return app;
  }

  follower(topic: string): LogFollower {
    const { client, prefix: topicPrefix, log, health } = this;
    const follower = new LogFollower({ client, topic, topicPrefix, log, health });
    this.atEnd(() => follower.stop());
    return follower;
  }

  /** Reads a topic from its beginning into an array that continues to grow. */
  async read(topic: string): Promise<ConsumedRecord[]> {
    const records: ConsumedRecord[] = [];
    const follower = this.follower(topic);
    await follower.start({ from: 'beginning', onRecords: (_partition, more) => void records.push(...more) });
    return records;
  }
}

export const textOf = (record: ConsumedRecord | undefined) => record?.value?.toString('utf8');

/** Retries a condition that throws, because a coordinator may be away for a moment. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 30_000,
): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    let cause: unknown;
    try {
      if (await condition()) return;
    } catch (error) {
      cause = error;
    }
    if (performance.now() > deadlineMs) throw new Error(`waited ${timeoutMs} ms for ${what} in vain`, { cause });
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

interface Deferred {
  promise: Promise<void>;
  resolve(): void;
}

export function deferred(): Deferred {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}
