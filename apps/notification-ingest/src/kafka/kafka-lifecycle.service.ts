import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { TOPICS } from '@tranche/contracts';
import { BatchingProducer, prepareTopics, waitForKafka, type KafkaClient } from '@tranche/kafka';
import { ServiceLifetime, ServiceLogger, untilUp } from '@tranche/service-kit';
import { IngestConfig } from '../ingest.config.js';

/** Injection token of the one `KafkaClient`. */
export const KAFKA_CLIENT = Symbol('KafkaClient');

const OWN_TOPICS = [TOPICS.notifications, TOPICS.notificationsQuarantine];

/** Kafka and its topics before the webhook opens; the producer's last records before the process ends. */
@Injectable()
export class KafkaLifecycle implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly config: IngestConfig,
    @Inject(KAFKA_CLIENT) private readonly kafka: KafkaClient,
    private readonly producer: BatchingProducer,
    private readonly log: ServiceLogger,
    private readonly lifetime: ServiceLifetime,
  ) {}

  async onModuleInit(): Promise<void> {
    const { log } = this;
    const signal = this.lifetime.stopping;
    await waitForKafka(this.kafka, { log, signal });
    const { kafkaTopicPrefix: prefix, topics: mode } = this.config;
    await prepareTopics(this.kafka, { prefix, definitions: OWN_TOPICS, mode, log });
    await untilUp('Kafka', () => this.producer.connect(), { log, signal });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.producer.close();
  }
}
