import { Module } from '@nestjs/common';
import { RedisModule, rereadFromFile } from '@tranche/service-kit';
import { CheckoutConfig } from './checkout.config.js';
import { DeskController } from './desk/desk.controller.js';
import { DeskService } from './desk/desk.service.js';
import { OrderController } from './order/order.controller.js';
import { OrderService } from './order/order.service.js';
import { OrderStore } from './order/order.store.js';
import { OrderStreamController, StreamSurroundings } from './order/order-stream.controller.js';
import { PaymentCommandProducer } from './order/payment-command.producer.js';
import { PaymentEventConsumer } from './order/payment-event.consumer.js';
import { ProviderController } from './order/provider.controller.js';
import { ShopController } from './shop/shop.controller.js';
import { TrancheClientModule } from './tranche-client.module.js';
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

@Module({
  imports: [TrancheClientModule, OrderRedis],
  controllers: [ShopController, OrderController, OrderStreamController, ProviderController, DeskController],
  providers: [
    OrderStore,
    OrderService,
    DeskService,
    PaymentCommandProducer,
    PaymentEventConsumer,
    Visitors,
    StreamSurroundings,
  ],
})
export class CheckoutModule {}
