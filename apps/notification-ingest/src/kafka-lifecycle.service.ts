import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { TOPICS } from '@tranche/contracts';
import { BatchingProducer, checkTopics, ensureTopics, waitForKafka, type KafkaClient } from '@tranche/kafka';
import { ServiceLifetime, ServiceLogger, untilUp } from '@tranche/service-kit';
import { IngestConfig } from './ingest.config.js';

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
    await this.prepareTopics();
    await untilUp('Kafka', () => this.producer.connect(), { log, signal });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.producer.close();
  }

  private async prepareTopics(): Promise<void> {
    const { kafka, log } = this;
    const prefix = this.config.kafkaTopicPrefix;
    const production = this.config.topics === 'check';
    if (!production) await ensureTopics(kafka, { prefix, definitions: OWN_TOPICS, replicationFactor: 1, minInSyncReplicas: 1, log });
    const found = await checkTopics(kafka, { prefix, definitions: OWN_TOPICS, production });
    for (const { topic, message, severity } of found) if (severity === 'warning') log.warn({ topic }, `${topic} ${message}`);
    const faults = found.filter(({ severity }) => severity === 'fault').map(({ topic, message }) => `${topic} ${message}`);
    if (faults.length > 0) throw new Error(`The topics are not as they must be: ${faults.join('; ')}`);
  }
}
