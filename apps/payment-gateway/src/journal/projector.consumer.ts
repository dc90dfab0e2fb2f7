import { Inject, Injectable } from '@nestjs/common';
import { TOPICS } from '@tranche/contracts';
import { PartitionConsumer, type KafkaClient } from '@tranche/kafka';
import { Health, ServiceLogger } from '@tranche/service-kit';
import { GatewayConfig } from '../gateway.config.js';
import { KAFKA_CLIENT } from '../kafka-client.js';
import { ProjectionService } from './projection.service.js';

/** The journal in, each partition in order at one instance, for the projection. */
@Injectable()
export class ProjectorConsumer {
  readonly #consumer: PartitionConsumer;

  constructor(
    config: GatewayConfig,
    @Inject(KAFKA_CLIENT) client: KafkaClient,
    private readonly projection: ProjectionService,
    log: ServiceLogger,
    health: Health,
  ) {
    this.#consumer = new PartitionConsumer({
      client,
      groupId: `${config.kafkaTopicPrefix}payment-gateway.projector`,
      topicPrefix: config.kafkaTopicPrefix,
      topic: TOPICS.journal.name,
      startOffset: (partition, committed) => projection.startOffset(partition, committed),
      onBatch: (partition, records) => projection.project(partition, records),
      log,
      health,
    });
  }

  async start(): Promise<void> {
    await this.#consumer.start();
    this.projection.start();
  }

  /** A batch that waits for its index would not end by itself. */
  async stop(): Promise<void> {
    await this.projection.stop();
    await this.#consumer.close();
  }
}
