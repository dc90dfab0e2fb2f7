import { Global, Module } from '@nestjs/common';
import { BatchingProducer, createKafkaClient, type KafkaClient } from '@tranche/kafka';
import { systemTiming } from '@tranche/runtime';
import { Health, Metrics, ServiceLogger } from '@tranche/service-kit';
import { Clock } from './clock.js';
import { GatewayConfig } from './gateway.config.js';
import { KAFKA_CLIENT } from './kafka-client.js';

/** What every room uses: the clock, and one connection to Kafka. */
@Global()
@Module({
  providers: [
    { provide: Clock, useFactory: ({ clockOffsetMs }: GatewayConfig) => systemTiming(clockOffsetMs), inject: [GatewayConfig] },
    { provide: KAFKA_CLIENT, useFactory: kafkaClient, inject: [GatewayConfig, ServiceLogger] },
    { provide: BatchingProducer, useFactory: batchingProducer, inject: [KAFKA_CLIENT, ServiceLogger, Metrics, Health] },
  ],
  exports: [Clock, KAFKA_CLIENT, BatchingProducer],
})
export class CoreModule {}

function kafkaClient(config: GatewayConfig, log: ServiceLogger): KafkaClient {
  return createKafkaClient({ ...config.kafka, clientId: 'payment-gateway' }, log);
}

function batchingProducer(client: KafkaClient, log: ServiceLogger, metrics: Metrics, health: Health): BatchingProducer {
  return new BatchingProducer({ client, log, metrics: metrics.registry, health });
}
