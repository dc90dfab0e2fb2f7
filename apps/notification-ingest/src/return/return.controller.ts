import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { Metrics } from '@tranche/service-kit';
import { IngestConfig } from '../ingest.config.js';
import { parametersOfQuery, type WebhookRequest } from '../notification.controller.js';
import { pageOf, type Page } from './return-page.js';
import { returnOf } from './return-redirect.js';

interface Reply {
  code(status: number): Reply;
  headers(values: Record<string, string>): Reply;
  send(body?: string): unknown;
}

const HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** The platform's REDIRECT_URL: the cardholder's browser is sent on to the merchant. Nothing is stored, nothing is published. */
@Controller('return')
export class ReturnController {
  private readonly returns;

  constructor(
    private readonly config: IngestConfig,
    metrics: Metrics,
  ) {
    this.returns = metrics.counter({
      name: 'ingest_returns_total',
      help: 'Browsers sent back by the platform: by hint (success, pending, refused, unknown), or unverified, unknown_merchant',
      labelNames: ['result'],
    });
  }

  @Get(':merchant')
  sendOn(@Param('merchant') name: string, @Req() request: WebhookRequest, @Res() reply: Reply): void {
    request.isTold = true;
    const merchant = this.config.merchants.byName(name);
    if (merchant === undefined) return this.show(reply, 404, 'unknown_merchant', 'unknown');
    const going = returnOf(merchant, parametersOfQuery(request));
    if (going === undefined) return this.show(reply, 403, 'unverified', 'unverified', merchant.market);
    if (going.location === undefined) return this.show(reply, 200, going.hint, 'thanks', merchant.market);
    this.returns.inc({ result: going.hint });
    reply
      .code(303)
      .headers({ ...HEADERS, location: going.location })
      .send();
  }

  private show(reply: Reply, status: number, result: string, page: Page, market?: 'FR' | 'ES'): void {
    this.returns.inc({ result });
    reply
      .code(status)
      .headers({ ...HEADERS, 'content-type': 'text/html; charset=utf-8' })
      .send(pageOf(page, market));
  }
}
