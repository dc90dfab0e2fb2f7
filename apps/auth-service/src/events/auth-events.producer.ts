import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { TOPICS, type AuthEvent, type AuthEventType } from '@tranche/contracts';
import { BatchingProducer, createKafkaClient, EventAnnouncer, prepareTopics, waitForKafka, type KafkaClient } from '@tranche/kafka';
import { Metrics, reasonOf, ServiceLifetime, ServiceLogger } from '@tranche/service-kit';
import { AuthConfig } from '../auth.config.js';

const CLOSE_MS = 2_000;

/** `auth.events.v1`, beside the work: Kafka may be away, or not there at all (docs/decisions/0025). Never a token. */
@Injectable()
export class AuthEvents implements OnModuleInit, OnApplicationShutdown {
  readonly #client?: KafkaClient;
  readonly #producer?: BatchingProducer;
  readonly #announcer?: EventAnnouncer;
  #topicIsReady: () => void = () => undefined;

  constructor(
    @Inject(AuthConfig) private readonly config: AuthConfig,
    private readonly log: ServiceLogger,
    metrics: Metrics,
    private readonly lifetime: ServiceLifetime,
  ) {
    if (config.kafka === undefined) return;
    this.#client = createKafkaClient({ ...config.kafka, clientId: 'auth-service' }, log);
    this.#producer = new BatchingProducer({ client: this.#client, log, metrics: metrics.registry });
    this.#announcer = new EventAnnouncer({
      producer: this.#producer,
      topicPrefix: config.kafkaTopicPrefix,
      ready: new Promise<void>((resolve) => (this.#topicIsReady = resolve)),
      source: 'auth-service',
      log,
      metrics: metrics.registry,
    });
  }

  announce(type: AuthEventType, event: AuthEvent): void {
    this.#announcer?.announce(TOPICS.authEvents, event.account, { type, subject: event.account, data: event });
  }

  onModuleInit(): void {
    if (this.#client !== undefined) void this.#prepareTopic(this.#client);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#announcer?.close(CLOSE_MS);
    await this.#producer?.close({ timeoutMs: CLOSE_MS });
  }

  async #prepareTopic(client: KafkaClient): Promise<void> {
    const { log, config } = this;
    const { stopping: signal } = this.lifetime;
    try {
      await waitForKafka(client, { log, signal });
      await prepareTopics(client, { prefix: config.kafkaTopicPrefix, definitions: [TOPICS.authEvents], mode: config.topics, log });
    } catch (error) {
      if (!signal.aborted) log.error({ reason: reasonOf(error) }, 'events of auth-service may get lost');
    }
    this.#topicIsReady();
  }
}
