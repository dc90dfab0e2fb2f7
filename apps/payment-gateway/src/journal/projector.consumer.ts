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
  #consumer?: PartitionConsumer;

  constructor(
    private readonly config: GatewayConfig,
    @Inject(KAFKA_CLIENT) private readonly client: KafkaClient,
    private readonly projection: ProjectionService,
    private readonly log: ServiceLogger,
    private readonly health: Health,
  ) {}

  async start(): Promise<void> {
    const { config, client, projection, log, health } = this;
    this.#consumer = new PartitionConsumer({
      client,
      groupId: `${config.kafkaTopicPrefix}payment-gateway.projector`,
      topicPrefix: config.kafkaTopicPrefix,
      topic: TOPICS.journal.name,
      sessionTimeoutMs: config.kafkaSessionTimeoutMs,
      assigned: (partition, signal) => projection.assign(partition, signal),
      log,
      health,
    });
    await this.#consumer.start();
    projection.start();
  }

  /** A batch that waits for its index would not end by itself. */
  async stop(): Promise<void> {
    await this.projection.stop();
    await this.#consumer?.close();
  }
}
