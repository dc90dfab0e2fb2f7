import { Body, Controller, Get, Header, Param, Post, Req, Res } from '@nestjs/common';
import { Visitors, type PageRequest } from '../web/visitor.controller.js';
import { OrderService, unknownOrder } from './order.service.js';
import { viewOf, type OrderView } from './order-view.js';

interface Reply {
  code(status: number): Reply;
}

/** The page's requests. An order's number is its key: 128 bits that only its buyer was given. */
@Controller('api/orders')
export class OrderController {
  constructor(
    private readonly orders: OrderService,
    private readonly visitors: Visitors,
  ) {}

  /** 201 for a new order, 200 for one that the same key made before. */
  @Post()
  async place(@Body() body: unknown, @Req() request: PageRequest, @Res({ passthrough: true }) reply: Reply): Promise<OrderView> {
    const { order, isNew } = await this.orders.place(body, await this.visitors.admit(request));
    reply.code(isNew ? 201 : 200);
    return viewOf(order, Date.now());
  }

  @Post(':orderId/attempts')
  async tryAgain(@Param('orderId') orderId: string, @Body() body: unknown, @Req() request: PageRequest): Promise<OrderView> {
    return viewOf(await this.orders.tryAgain(orderId, body, await this.visitors.admit(request)), Date.now());
  }

  @Get(':orderId')
  @Header('cache-control', 'no-store')
  async look(@Param('orderId') orderId: string): Promise<OrderView> {
    const order = await this.orders.look(orderId);
    if (order === undefined) throw unknownOrder();
    return viewOf(order, Date.now());
  }
}
