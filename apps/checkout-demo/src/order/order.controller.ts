import { Body, Controller, Get, Header, Param, Post, Req, Res } from '@nestjs/common';
import { CheckoutConfig } from '../checkout.config.js';
import { orderCookie } from './order-cookie.js';
import { Visitors, type PageRequest } from '../web/visitors.service.js';
import { OrderService, unknownOrder } from './order.service.js';
import { orderIdOf } from './order.js';
import { viewOf, type OrderView } from './order-view.js';

interface Reply {
  code(status: number): Reply;
  header(name: string, value: string): Reply;
}

/** API of the page. The secret of the page's address (128 bits, given only to the buyer) gives access to an order. */
@Controller('api/orders')
export class OrderController {
  constructor(
    private readonly orders: OrderService,
    private readonly visitors: Visitors,
    private readonly config: CheckoutConfig,
  ) {}

  @Post()
  async place(
    @Body() body: unknown,
    @Req() request: PageRequest,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<OrderView & { pageId: string }> {
    const { stored, pageId, isNew } = await this.orders.place(body, this.visitors.admit(request));
    reply.code(isNew ? 201 : 200).header('set-cookie', orderCookie(pageId, this.config.isSecure));
    return { ...viewOf(stored, Date.now()), pageId };
  }

  @Post(':pageId/attempts')
  async tryAgain(
    @Param('pageId') pageId: string,
    @Body() body: unknown,
    @Req() request: PageRequest,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<OrderView> {
    const stored = await this.orders.tryAgain(orderIdOf(pageId), body, this.visitors.admit(request));
    reply.header('set-cookie', orderCookie(pageId, this.config.isSecure));
    return viewOf(stored, Date.now());
  }

  @Get(':pageId')
  @Header('cache-control', 'no-store')
  async look(@Param('pageId') pageId: string): Promise<OrderView> {
    const stored = await this.orders.look(orderIdOf(pageId));
    if (stored === undefined) throw unknownOrder();
    return viewOf(stored, Date.now());
  }
}
