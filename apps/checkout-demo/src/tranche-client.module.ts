import { Tranche } from '@tranche/client';
import { TrancheModule, type TrancheModuleOptions } from '@tranche/client/nest';
import { untilUp } from '@tranche/runtime';
import { Health, Metrics, ServiceLifetime, ServiceLogger } from '@tranche/service-kit';
import { CheckoutConfig } from './checkout.config.js';

async function trancheOptions(
  { kafka, publishTimeoutMs, kafkaTopicPrefix: topicPrefix }: CheckoutConfig,
  log: ServiceLogger,
  { registry: metrics }: Metrics,
  health: Health,
  { stopping: signal }: ServiceLifetime,
): Promise<TrancheModuleOptions> {
  const options = { ...kafka, clientId: 'checkout-demo', topicPrefix, log, metrics, health, publishTimeoutMs };
  return { client: await untilUp('Kafka', () => Tranche.connect(options), { log, signal }) };
}

/** Provides `Tranche` and `Publisher`, connected before the shop's port opens. */
export const TrancheClientModule = TrancheModule.forRootAsync({
  inject: [CheckoutConfig, ServiceLogger, Metrics, Health, ServiceLifetime],
  useFactory: trancheOptions,
});
