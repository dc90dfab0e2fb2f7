import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { decodeRedirectHtml } from '@tranche/client';
import { ServiceLogger } from '@tranche/service-kit';
import { orderAddress, returnOf } from './order-cookie.js';
import { orderIdOf } from './order.js';
import { OrderService } from './order.service.js';
import { OrderStore } from './order.store.js';
import { viewOf } from './order-view.js';

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

/**
 * REDIRECTHTML comes from a third party. We serve it unchanged in an opaque origin (`sandbox` without allow-same-origin), so that its
 * scripts cannot access the shop. It is a page and not a frame, because providers forbid frames and phones have no room for one.
 */
export const PROVIDER_PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "sandbox allow-forms allow-scripts allow-top-navigation; default-src https: data: 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  // The page may open windows, for example the bank's, and needs their messages.
  'cross-origin-opener-policy': 'unsafe-none',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
};

/** A fragment gets a document around it, for its encoding and the width of phones. */
export function providerPage(redirectHtml: string): string {
  const html = decodeRedirectHtml(redirectHtml);
  if (/<(?:!doctype|html)[\s>]/i.test(html)) return html;
  const head =
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Maison Roitelet</title>';
  return `<!doctype html>\n<html><head>${head}</head><body data-testid="provider-form">${html}</body></html>\n`;
}
