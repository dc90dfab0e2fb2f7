import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { TOPICS, type CseEvent, type CseEventType } from '@tranche/contracts';
import { BatchingProducer, createKafkaClient, EventAnnouncer, prepareTopics, waitForKafka, type KafkaClient } from '@tranche/kafka';
import { Metrics, reasonOf, ServiceLifetime, ServiceLogger } from '@tranche/service-kit';
import { CseConfig } from '../cse.config.js';

const NAME = 'cse-token-service';

/** `cse.events.v1`: what happened to keys, beside the work. Nothing waits for Kafka, and nothing depends on it (docs/decisions/0025). */
@Injectable()
export class KeyEvents implements OnModuleInit, OnApplicationShutdown {
  readonly #kafka: KafkaClient;
  readonly #producer: BatchingProducer;
  readonly #announcer: EventAnnouncer;
  #topicIsReady: () => void = () => undefined;

  constructor(
    private readonly config: CseConfig,
    private readonly log: ServiceLogger,
    private readonly lifetime: ServiceLifetime,
    metrics: Metrics,
  ) {
    const { registry } = metrics;
    this.#kafka = createKafkaClient({ ...config.kafka, clientId: NAME }, log);
    this.#producer = new BatchingProducer({ client: this.#kafka, log, metrics: registry });
    const { kafkaTopicPrefix: topicPrefix } = config;
    const ready = new Promise<void>((resolve) => (this.#topicIsReady = resolve));
    this.#announcer = new EventAnnouncer({ producer: this.#producer, topicPrefix, ready, source: NAME, log, metrics: registry });
  }

  onModuleInit(): void {
    void this.#prepare();
  }

  announce(type: CseEventType, event: CseEvent): void {
    this.#announcer.announce(TOPICS.cseEvents, event.apiKeyId, { type, subject: event.apiKeyId, data: event });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#announcer.close();
    await this.#producer.close({ timeoutMs: 1_000 });
  }

  /** The topic before the first event: to a topic that does not exist nothing can be sent. */
  async #prepare(): Promise<void> {
    const { config, log } = this;
    try {
      await waitForKafka(this.#kafka, { log, signal: this.lifetime.stopping });
      await prepareTopics(this.#kafka, { prefix: config.kafkaTopicPrefix, definitions: [TOPICS.cseEvents], mode: config.topics, log });
    } catch (error) {
      if (this.lifetime.stopping.aborted) return;
      log.error({ reason: reasonOf(error) }, 'events of keys may not be announced');
    }
    this.#topicIsReady();
  }
}
