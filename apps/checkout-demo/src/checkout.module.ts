import { Module } from '@nestjs/common';
import { OrderController } from './order/order.controller.js';
import { OrderService } from './order/order.service.js';
import { OrderStore } from './order/order.store.js';
import { OrderStreamController, StreamSurroundings } from './order/order-stream.controller.js';
import { PaymentCommandProducer } from './order/payment-command.producer.js';
import { PaymentEventConsumer } from './order/payment-event.consumer.js';
import { ProviderController } from './order/provider.controller.js';
import { ReturnController } from './order/return.controller.js';
import { ShopController } from './shop/shop.controller.js';
import { TrancheLifecycle, TrancheSurroundings } from './tranche-client.service.js';
import { Visitors } from './web/visitor.controller.js';

@Module({
  controllers: [ShopController, OrderController, OrderStreamController, ProviderController, ReturnController],
  providers: [
    OrderStore,
    OrderService,
    PaymentCommandProducer,
    PaymentEventConsumer,
    Visitors,
    StreamSurroundings,
    TrancheSurroundings,
    TrancheLifecycle,
  ],
})
export class CheckoutModule {}
