import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ServiceLogger } from '@tranche/service-kit';
import { orderAddress, returnOf } from '../web/order-address.js';
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

/** The way to the provider's form, when the platform demands a redirect (EXECCODE 0002), and the way back. */
@Controller()
export class ProviderController {
  constructor(
    private readonly orders: OrderService,
    private readonly store: OrderStore,
    private readonly log: ServiceLogger,
  ) {}

  /** Redirects to the order's page if no form may be followed. */
  @Get('orders/:pageId/provider')
  async show(@Param('pageId') pageId: string, @Res() reply: Reply): Promise<void> {
    const stored = await this.orders.look(orderIdOf(pageId));
    const attemptId = stored && viewOf(stored, Date.now()).form;
    const html = attemptId && (await this.store.formOf(attemptId));
    if (html) reply.headers(PROVIDER_PAGE_HEADERS).send(providerPage(html));
    else redirect(reply, `/orders/${encodeURIComponent(pageId)}`);
  }

  /** notification-ingest redirects the browser here after the provider's form. The merchant in the path is ignored. */
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
    redirect(reply, orderAddress(back));
  }
}

function redirect(reply: Reply, location: string): void {
  reply.code(303).headers({ location, 'cache-control': 'no-store' }).send();
}
