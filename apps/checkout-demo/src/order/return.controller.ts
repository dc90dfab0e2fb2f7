import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ServiceLogger } from '@tranche/service-kit';
import { orderAddress, returnOf } from '../web/order-address.js';
import { OrderService } from './order.service.js';

interface Reply {
  code(status: number): Reply;
  headers(values: Readonly<Record<string, string>>): Reply;
  send(): unknown;
}

/** notification-ingest redirects the browser here after the provider's form. The merchant in the path is ignored. */
@Controller()
export class ReturnController {
  constructor(
    private readonly orders: OrderService,
    private readonly log: ServiceLogger,
  ) {}

  @Get(':merchant/thanks')
  async comeBack(
    @Query() query: unknown,
    @Req() request: { headers: { cookie?: string } },
    @Res() reply: Reply,
  ): Promise<void> {
    const back = returnOf(query, request.headers.cookie);
    if (back?.hint === 'success' || back?.hint === 'pending')
      await this.orders.awaitConfirmation(back.orderId).catch((error: unknown) => {
        this.log.warn(
          { orderId: back.orderId, err: error },
          'a return could not be noted; the page waits a little by itself',
        );
      });
    reply
      .code(303)
      .headers({ location: orderAddress(back), 'cache-control': 'no-store' })
      .send();
  }
}
