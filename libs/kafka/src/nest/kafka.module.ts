import {
  ConfigurableModuleBuilder,
  Inject,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { reasonOf, untilUp, type HealthRegistry, type Log } from '@tranche/runtime';
import type { Registry } from 'prom-client';
import { createKafkaClient, waitForKafka, type KafkaClient, type KafkaSettings } from '../kafkajs/kafka-client.js';
import { KafkaWatch } from '../kafka-watch.js';
import { BatchingProducer } from '../produce/batching-producer.js';
import { EventAnnouncer } from '../produce/event-announcer.js';
import { prepareTopics, type PrepareTopicsOptions } from '../topics/topics.js';

export interface KafkaModuleOptions {
  /** If undefined, there is no Kafka, and the injected objects are undefined too. */
  kafka: KafkaSettings | undefined;
  topics: Omit<PrepareTopicsOptions, 'log'>;
  log: Log;
  metrics?: Registry;
  /** If given, the service starts only when Kafka answers, and is not ready while Kafka takes no records. */
  health?: HealthRegistry;
  stopping: AbortSignal;
  /** If true, an `EventAnnouncer` is provided; the source of its events is `kafka.clientId`. */
  announces?: boolean;
  /** Milliseconds that the producer may continue to send at shutdown (5,000). */
  closeTimeoutMs?: number;
}

/** A service's own part of the options. */
interface ServiceKafka {
  clientId: string;
  topics: PrepareTopicsOptions['definitions'];
  /** The events of a service that goes on without Kafka. Absent: it needs Kafka. */
  announces?: true;
  closeTimeoutMs?: number;
}

/** Kafka settings of a service, as its configuration has them. */
export interface ServiceKafkaSettings {
  kafka: Omit<KafkaSettings, 'clientId'> | undefined;
  kafkaTopicPrefix: string;
  topics: PrepareTopicsOptions['mode'];
}

/** For `forRootAsync`, which injects the settings of the service, its log, metrics, lifetime and health in this order. */
export const kafkaOptionsOf =
  ({ clientId, topics: definitions, announces, closeTimeoutMs }: ServiceKafka) =>
  (
    { kafka, kafkaTopicPrefix: prefix, topics: mode }: ServiceKafkaSettings,
    log: Log,
    { registry }: { registry: Registry },
    { stopping }: { stopping: AbortSignal },
    health: HealthRegistry,
  ): KafkaModuleOptions => ({
    kafka: kafka && { ...kafka, clientId },
    topics: { prefix, definitions, mode },
    log,
    metrics: registry,
    stopping,
    ...(announces ? { announces } : { health }),
    ...(closeTimeoutMs !== undefined && { closeTimeoutMs }),
  });

const KAFKA_CLIENT = Symbol('KafkaClient');

export const InjectKafkaClient = () => Inject(KAFKA_CLIENT);

/** `ready` resolves when the topics exist, or when preparing them has failed; it never rejects. */
class Topics {
  readonly ready: Promise<void>;
  settle: () => void = () => undefined;

  constructor() {
    this.ready = new Promise((resolve) => (this.settle = resolve));
  }
}

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<KafkaModuleOptions>()
  .setClassMethodName('forRoot')
  .build();

function clientOf({ kafka, log }: KafkaModuleOptions): KafkaClient | undefined {
  return kafka && createKafkaClient(kafka, log);
}

function producerOf(
  client: KafkaClient | undefined,
  { log, metrics, health }: KafkaModuleOptions,
): BatchingProducer | undefined {
  return client && new BatchingProducer({ client, log, ...(metrics && { metrics }), ...(health && { health }) });
}

function announcerOf(
  client: KafkaClient | undefined,
  producer: BatchingProducer | undefined,
  topics: Topics,
  { topics: { prefix }, announces, log, metrics }: KafkaModuleOptions,
): EventAnnouncer | undefined {
  if (!client || !producer || !announces) return undefined;
  return new EventAnnouncer({
    producer,
    topicPrefix: prefix,
    ready: topics.ready,
    source: client.clientId,
    log,
    ...(metrics && { metrics }),
  });
}

/**
 * One Kafka for the modules that import it: `@InjectKafkaClient()`, `BatchingProducer` and `EventAnnouncer`. The announcer and the producer
 * are closed in `onApplicationShutdown`.
 */
@Module({
  providers: [
    Topics,
    { provide: KAFKA_CLIENT, useFactory: clientOf, inject: [MODULE_OPTIONS_TOKEN] },
    { provide: BatchingProducer, useFactory: producerOf, inject: [KAFKA_CLIENT, MODULE_OPTIONS_TOKEN] },
    {
      provide: EventAnnouncer,
      useFactory: announcerOf,
      inject: [KAFKA_CLIENT, BatchingProducer, Topics, MODULE_OPTIONS_TOKEN],
    },
  ],
  exports: [KAFKA_CLIENT, BatchingProducer, EventAnnouncer],
})
export class KafkaModule extends ConfigurableModuleClass implements OnModuleInit, OnApplicationShutdown {
  private watch?: KafkaWatch;

  constructor(
    @Inject(MODULE_OPTIONS_TOKEN) private readonly options: KafkaModuleOptions,
    private readonly topics: Topics,
    @InjectKafkaClient() private readonly client: KafkaClient | undefined,
    @Inject(BatchingProducer) private readonly producer: BatchingProducer | undefined,
    @Inject(EventAnnouncer) private readonly announcer: EventAnnouncer | undefined,
  ) {
    super();
  }

  async onModuleInit(): Promise<void> {
    const { client, producer } = this;
    if (!client || !producer) return;
    const { health, log, metrics, stopping: signal, topics } = this.options;
    if (!health) return void this.prepareBesideTheStart(client);
    await this.prepare(client);
    await untilUp('Kafka', () => producer.connect(), { log, signal });
    const topic = topics.prefix + (topics.definitions[0]?.name ?? client.clientId);
    this.watch = new KafkaWatch({ client, topic, health, metrics, log });
    this.watch.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.watch?.stop();
    await this.announcer?.close();
    await this.producer?.close({ timeoutMs: this.options.closeTimeoutMs ?? 5_000 });
  }

  private async prepare(client: KafkaClient): Promise<void> {
    const { topics, log, stopping: signal } = this.options;
    await waitForKafka(client, { log, signal });
    await prepareTopics(client, { ...topics, log });
    this.topics.settle();
  }

  private async prepareBesideTheStart(client: KafkaClient): Promise<void> {
    const { log, stopping } = this.options;
    try {
      await this.prepare(client);
    } catch (error) {
      if (!stopping.aborted) log.error({ reason: reasonOf(error) }, `events of ${client.clientId} may get lost`);
    }
    this.topics.settle();
  }
}
