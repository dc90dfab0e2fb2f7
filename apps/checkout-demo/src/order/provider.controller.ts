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

/** Serves the provider's form when the platform demands a redirect (EXECCODE 0002). */
@Controller('orders')
export class ProviderController {
  constructor(
    private readonly orders: OrderService,
    private readonly store: OrderStore,
  ) {}

  /** Redirects to the order's page if no form may be followed. */
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
