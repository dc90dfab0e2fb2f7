import { Module } from '@nestjs/common';
import { Tranche } from '@tranche/client';
import { TrancheModule } from '@tranche/client/nest';
import { untilUp } from '@tranche/runtime';
import { Health, Metrics, RedisModule, rereadFromFile, ServiceLifetime, ServiceLogger } from '@tranche/service-kit';
import { CheckoutConfig } from './checkout.config.js';
import { DeskController } from './desk/desk.controller.js';
import { DeskService } from './desk/desk.service.js';
import { OrderController } from './order/order.controller.js';
import { OrderService } from './order/order.service.js';
import { OrderStore } from './order/order.store.js';
import { OrderStreamController } from './order/order-stream.controller.js';
import { PaymentEventConsumer } from './order/payment-event.consumer.js';
import { ProviderController } from './order/provider.controller.js';
import { ShopController } from './shop/shop.controller.js';
import { Visitors } from './web/visitors.service.js';

/** The shop needs Redis for everything, so it is not ready without it. */
const OrderRedis = RedisModule.forRootAsync({
  inject: [CheckoutConfig],
  useFactory: (config: CheckoutConfig) => ({
    url: config.redisUrl,
    currentUrl: rereadFromFile(config, 'redisUrl'),
    name: 'orders',
    isRequired: true,
  }),
});

/** Provides `Tranche` and `Publisher`, connected before the shop's port opens. */
const TrancheClient = TrancheModule.forRootAsync({
  inject: [CheckoutConfig, ServiceLogger, Metrics, Health, ServiceLifetime],
  useFactory: async (
    { kafka, publishTimeoutMs, kafkaTopicPrefix: topicPrefix }: CheckoutConfig,
    log: ServiceLogger,
    { registry: metrics }: Metrics,
    health: Health,
    { stopping: signal }: ServiceLifetime,
  ) => {
    const options = { ...kafka, clientId: 'checkout-demo', topicPrefix, log, metrics, health, publishTimeoutMs };
    return { client: await untilUp('Kafka', () => Tranche.connect(options), { log, signal }) };
  },
});

@Module({
  imports: [TrancheClient, OrderRedis],
  controllers: [ShopController, OrderController, OrderStreamController, ProviderController, DeskController],
  providers: [OrderStore, OrderService, DeskService, PaymentEventConsumer, Visitors],
})
export class CheckoutModule {}
