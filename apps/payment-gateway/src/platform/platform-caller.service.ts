import { Injectable } from '@nestjs/common';
import type { Merchant, OperationKind } from '@tranche/contracts';
import type { Classified } from '@tranche/order-journal';
import { classifyReply } from '@tranche/platform';
import { Metrics, ServiceLogger, withSpan } from '@tranche/service-kit';
import { BearerTokenClient, NoBearerTokenError, type BearerToken } from './bearer-token.client.js';
import { PlatformClient } from './platform.client.js';
import { isUnreachable } from './rail-breaker.js';
import { RefusedTokens } from './refused-tokens.js';

export interface Call {
  operation: OperationKind;
  merchant: Merchant;
  /** Behind {payment_url}. */
  path: string;
  body: string;
  bearer?: BearerToken;
  maySend: () => boolean;
}

/** Which of the platform's URLs, from 0, the next call of one command goes to. */
export interface Route {
  url: number;
}

/** One call of the platform and what it came to; bearer tokens for merchants that need one. */
@Injectable()
export class PlatformCaller {
  readonly #refused = new RefusedTokens();
  #answering = 0;
  readonly #seconds;
  readonly #outcomes;

  constructor(
    private readonly platform: PlatformClient,
    private readonly tokens: BearerTokenClient,
    private readonly log: ServiceLogger,
    metrics: Metrics,
  ) {
    this.#seconds = metrics.histogram({
      name: 'tranche_platform_call_seconds',
      help: 'Duration of a call of the platform',
      labelNames: ['operation'],
    });
    this.#outcomes = metrics.counter({
      name: 'tranche_platform_calls_total',
      help: 'Calls of the platform by what they came to',
      labelNames: ['operation', 'came_to', 'execcode'],
    });
  }

  /** Undefined where the merchant needs none. Throws when auth-service has none now. */
  async bearerFor({ authAccount }: Merchant): Promise<BearerToken | 'refused' | undefined> {
    if (authAccount === undefined) return undefined;
    try {
      const token = await this.tokens.token(authAccount, this.#refused.toReport(authAccount));
      this.#refused.noteGiven(authAccount, token.fingerprint);
      return token;
    } catch (error) {
      if (error instanceof NoBearerTokenError && error.isRefused) return 'refused';
      throw error;
    }
  }

  /** The platform refuses this token: auth-service is told so when the next one is asked for, unless there is another one already. */
  noteRefused({ authAccount }: Merchant, { fingerprint }: BearerToken): void {
    if (authAccount !== undefined) this.#refused.noteRefused(authAccount, fingerprint);
  }

  /** Where a new command begins: at the URL that answered last. */
  route(): Route {
    return { url: this.#answering };
  }

  get urlCount(): number {
    return this.platform.urlCount;
  }

  /** After a provable non-execution `route` points at the other URL, if there is one. */
  async call({ operation, merchant, path, body, bearer, maySend }: Call, route: Route): Promise<Classified> {
    const { url } = route;
    const stopTimer = this.#seconds.startTimer({ operation });
    const reply = await withSpan(`platform ${operation}`, () =>
      this.platform.post({ path, body, url, maySend, ...(bearer === undefined ? {} : { bearerToken: bearer.accessToken }) }),
    );
    stopTimer();
    const classified: Classified = classifyReply(reply, operation, bearer !== undefined);
    const execCode = classified.record === 'OUTCOME' ? classified.answer.execCode : classified.execCode;
    const cameTo = classified.record === 'OUTCOME' ? classified.result : classified.reason;
    this.#outcomes.inc({ operation, came_to: cameTo, execcode: execCode ?? 'none' });
    if (isUnreachable(classified)) {
      route.url = (url + 1) % this.platform.urlCount;
      if (this.#answering === url) this.#answering = route.url;
    }
    if (cameTo === 'auth_refused' && bearer !== undefined) this.noteRefused(merchant, bearer);
    if (classified.record !== 'OUTCOME')
      this.log.warn({ operation, merchant: merchant.merchant, came_to: cameTo, execCode }, 'A call of the platform brought no outcome');
    return classified;
  }
}
