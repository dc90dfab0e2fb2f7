import { Controller, Get, Param, Res } from '@nestjs/common';
import { orderIdOf } from './order-ids.js';
import { OrderService } from './order.service.js';
import { OrderStore } from './order.store.js';
import { viewOf } from './order-view.js';
import { PROVIDER_PAGE_HEADERS, providerPage } from './provider-page.js';

interface Reply {
  code(status: number): Reply;
  headers(values: Readonly<Record<string, string>>): Reply;
  send(body?: string): unknown;
}

/** Where the page sends the cardholder when the platform asks for it (EXECCODE 0002). */
@Controller('orders')
export class ProviderController {
  constructor(
    private readonly orders: OrderService,
    private readonly store: OrderStore,
  ) {}

  /** Only while the form may be followed; else the order says how it stands. */
  @Get(':pageId/provider')
  async show(@Param('pageId') pageId: string, @Res() reply: Reply): Promise<void> {
    const stored = await this.orders.look(orderIdOf(pageId));
    const attemptId = stored && viewOf(stored, Date.now()).form;
    const html = attemptId && (await this.store.formOf(attemptId));
    if (!html)
      reply
        .code(303)
        .headers({ location: `/orders/${encodeURIComponent(pageId)}`, 'cache-control': 'no-store' })
        .send();
    else reply.headers(PROVIDER_PAGE_HEADERS).send(providerPage(html));
  }
}
