import { Body, Controller, Get, Header, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import { Visitors, type PageRequest } from '../web/visitors.service.js';
import { DeskGuard } from './desk.guard.js';
import { DeskService } from './desk.service.js';
import type { DeskView } from './desk-view.js';

interface Reply {
  header(name: string, value: string): Reply;
  /** A file beside the shop's page (@fastify/static). */
  sendFile(name: string): unknown;
}

/** The shop's own page: what was sold, and its captures, refunds and voids. */
@Controller('desk')
@UseGuards(DeskGuard)
export class DeskController {
  constructor(
    private readonly desk: DeskService,
    private readonly visitors: Visitors,
  ) {}

  @Get()
  page(@Res() reply: Reply): void {
    reply.header('cache-control', 'no-cache').sendFile('desk.html');
  }

  @Get('orders')
  @Header('cache-control', 'no-store')
  orders(): Promise<DeskView[]> {
    return this.desk.latest();
  }

  /** Answers when the command is durable; its result comes with a later look. Posts of other origins are refused. */
  @Post('orders/:orderId/operations')
  async operate(
    @Param('orderId') orderId: string,
    @Body() body: unknown,
    @Req() request: PageRequest,
  ): Promise<DeskView> {
    await this.visitors.admit(request);
    return this.desk.operate(orderId, body);
  }
}
