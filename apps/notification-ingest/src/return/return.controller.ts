import { Controller, Get, Ip, Param, Res } from '@nestjs/common';
import { Metrics } from '@tranche/service-kit';
import { IngestConfig } from '../ingest.config.js';
import { FailureLimitService } from '../limits/failure-limit.service.js';
import { parametersOfQuery, Received, type ReceivedRequest } from '../received-request.js';
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

/** The platform's REDIRECT_URL: redirects the cardholder's browser to the merchant. It stores and publishes nothing. */
@Controller('return')
export class ReturnController {
  private readonly returns;

  constructor(
    private readonly config: IngestConfig,
    private readonly failures: FailureLimitService,
    metrics: Metrics,
  ) {
    this.returns = metrics.counter({
      name: 'ingest_returns_total',
      help: 'Browsers sent back by the platform: by hint (success, pending, refused, unknown), or unverified, unknown_merchant',
      labelNames: ['result'],
    });
  }

  @Get(':merchant')
  async sendOn(
    @Param('merchant') name: string,
    @Received() received: ReceivedRequest,
    @Ip() from: string,
    @Res() reply: Reply,
  ): Promise<void> {
    const merchant = this.config.merchants.byName(name);
    if (merchant === undefined) {
      await this.countFailure(reply.code(404), from);
      return this.show(reply, 'unknown_merchant', 'unknown');
    }
    const going = returnOf(merchant, parametersOfQuery(received));
    if (going === undefined) {
      await this.countFailure(reply.code(403), from);
      return this.show(reply, 'unverified', 'unverified', merchant.market);
    }
    if (going.location === undefined) return this.show(reply.code(200), going.hint, 'thanks', merchant.market);
    this.returns.inc({ result: going.hint });
    reply
      .code(303)
      .headers({ ...HEADERS, location: going.location })
      .send();
  }

  /** Too many failures change only the status (429): a person still sees the same page. */
  private async countFailure(reply: Reply, from: string): Promise<void> {
    reply.headers({ connection: 'close' });
    const waitSeconds = await this.failures.countFailure(from);
    if (waitSeconds !== undefined) reply.code(429).headers({ 'retry-after': String(waitSeconds) });
  }

  private show(reply: Reply, result: string, page: Page, market?: 'FR' | 'ES'): void {
    this.returns.inc({ result });
    reply.headers({ ...HEADERS, 'content-type': 'text/html; charset=utf-8' }).send(pageOf(page, market));
  }
}
