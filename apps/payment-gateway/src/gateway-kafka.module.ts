import { topicsOf } from '@tranche/contracts';
import { KafkaModule, kafkaOptionsOf } from '@tranche/kafka/nest';
import { SERVICE_PARTS } from '@tranche/service-kit';
import { GatewayConfig } from './gateway.config.js';

/** One client and one producer. Topics are checked and the producer is connected before the first part of the gateway starts. */
export const GatewayKafkaModule = KafkaModule.forRootAsync({
  inject: [GatewayConfig, ...SERVICE_PARTS],
  useFactory: kafkaOptionsOf({ clientId: 'payment-gateway', topics: topicsOf('payment-gateway') }),
});
