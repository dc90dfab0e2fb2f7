import { Injectable, All, Controller, Param, Res } from '@nestjs/common';
import { Metrics } from '@tranche/service-kit';
import { IngestConfig } from '../ingest.config.js';
import type { Parameters, Unreadable } from '../received-parameters.js';
import { routedPath, Received, type ReceivedRequest } from '../received-request.js';
import { pageOf, type Page } from './return-page.js';
import { returnOf, unverifiedReturn } from './return-redirect.js';
import { parametersOf } from '../parameters-of-request.js';

export interface Reply {
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

/** The name behind `/return/`, empty for `/return` alone; undefined for another path. */
export const returnPath = (url: string): string | undefined =>
  /^\/return(?![^/?])\/?([^/?]*)/.exec(routedPath(url))?.[1];

/** Sends the cardholder's browser on to the merchant, else shows a page: a person reads the answer, so it is never problem+json. */
@Injectable()
export class BrowserReturns {
  readonly #returns;

  constructor(
    private readonly config: IngestConfig,
    metrics: Metrics,
  ) {
    this.#returns = metrics.counter({
      name: 'ingest_returns_total',
      help: 'Browsers sent back by the platform: by hint (success, pending, refused, unknown), or unverified, unknown_merchant',
      labelNames: ['result'],
    });
  }

  /** `read`: reads the request, once the merchant is known. `status`: of the page that is shown where there is no such merchant. */
  answer(reply: Reply, name: string, read: () => Parameters | Unreadable, status = 404): void {
    const merchant = this.config.merchants.byName(name);
    if (merchant === undefined) return this.#show(reply.code(status), 'unknown_merchant', 'unknown');
    const verified = returnOf(merchant, read());
    const { hint, location } = verified ?? unverifiedReturn(merchant);
    const result = verified ? hint : 'unverified';
    if (location === undefined) {
      const page = verified ? 'thanks' : 'unverified';
      return this.#show(reply.code(verified ? 200 : 403), result, page, merchant.market);
    }
    this.#returns.inc({ result });
    reply
      .code(303)
      .headers({ ...HEADERS, location })
      .send();
  }

  #show(reply: Reply, result: string, page: Page, market?: 'FR' | 'ES'): void {
    this.#returns.inc({ result });
    reply.headers({ ...HEADERS, 'content-type': 'text/html; charset=utf-8' }).send(pageOf(page, market));
  }
}

/** The platform's REDIRECT_URL: redirects the cardholder's browser to the merchant, however it comes. It stores and publishes nothing. */
@Controller('return')
export class ReturnController {
  constructor(private readonly returns: BrowserReturns) {}

  @All(':merchant')
  sendOn(@Param('merchant') name: string, @Received() received: ReceivedRequest, @Res() reply: Reply): void {
    this.returns.answer(reply, name, () => parametersOf(received));
  }
}
