import { topicsOf } from '@tranche/contracts';
import { KafkaModule, kafkaOptionsOf } from '@tranche/kafka/nest';
import { SERVICE_PARTS } from '@tranche/service-kit';
import { GatewayConfig } from './gateway.config.js';

/** Provides one Kafka client and one producer. It checks the topics and connects the producer before any other part of the gateway starts. */
export const GatewayKafkaModule = KafkaModule.forRootAsync({
  inject: [GatewayConfig, ...SERVICE_PARTS],
  useFactory: kafkaOptionsOf({ clientId: 'payment-gateway', topics: topicsOf('payment-gateway') }),
});
