import { Injectable } from '@nestjs/common';
import { isUnreachable, type CallResult, type Merchant, type OperationKind } from '@tranche/contracts';
import type { SendOptions } from '@tranche/order-journal';
import { classifyReply } from '@tranche/platform';
import { describeSpan, Metrics, ServiceLogger, withSpan } from '@tranche/service-kit';
import { BearerTokenClient, NoBearerTokenError, type BearerToken, RefusedTokens } from './bearer-token.client.js';
import { PlatformClient } from './platform.client.js';

export interface PlatformForm {
  operation: OperationKind;
  merchant: Merchant;
  /** Path behind {payment_url}. */
  path: string;
  body: string;
}

/** Makes one call of the platform and classifies its outcome; fetches bearer tokens for merchants that need one. */
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
      help: 'Calls of the platform by outcome',
      labelNames: ['operation', 'outcome', 'execcode'],
    });
  }

  /** Returns undefined where the merchant needs no token. @throws NoBearerTokenError where auth-service has none now */
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

  /** Notes that the platform refused this token. The next request to auth-service reports it, unless a newer token is already in use. */
  noteRefused({ authAccount }: Merchant, { fingerprint }: BearerToken): void {
    if (authAccount !== undefined) this.#refused.noteRefused(authAccount, fingerprint);
  }

  /** Index of the platform URL that a new command starts with: the one that answered last. */
  get answeringUrl(): number {
    return this.#answering;
  }

  get urlCount(): number {
    return this.platform.urlCount;
  }

  /** Opens a connection for a call that is about to be made. */
  warmUp(url: number): Promise<void> {
    return this.platform.warmUp(url);
  }

  /** Sends one POST, and returns what the answer proves. */
  send(form: PlatformForm, options: SendOptions<BearerToken>): Promise<CallResult> {
    return withSpan(`platform ${form.operation}`, () => this.#send(form, options));
  }

  async #send(form: PlatformForm, { bearer, url, maySend }: SendOptions<BearerToken>): Promise<CallResult> {
    const { operation, merchant, path, body } = form;
    const stopTimer = this.#seconds.startTimer({ operation });
    const token = bearer === undefined ? {} : { bearerToken: bearer.accessToken };
    const reply = await this.platform.post({ path, body, url, maySend, ...token });
    stopTimer();
    const result = classifyReply(reply, operation, bearer !== undefined);
    const execCode = result.record === 'OUTCOME' ? result.answer.execCode : result.execCode;
    const outcome = result.record === 'OUTCOME' ? result.result : result.reason;
    this.#outcomes.inc({ operation, outcome, execcode: labelOf(execCode) });
    describeSpan({
      'tranche.operation': operation,
      'tranche.merchant': merchant.merchant,
      'tranche.outcome': outcome,
      'tranche.execcode': labelOf(execCode),
    });
    if (isUnreachable(result) && this.#answering === url) this.#answering = (url + 1) % this.platform.urlCount;
    if (outcome === 'auth_refused' && bearer !== undefined) this.noteRefused(merchant, bearer);
    if (result.record !== 'OUTCOME')
      this.log.warn(
        { operation, merchant: merchant.merchant, outcome, execCode: execCode?.slice(0, 64) },
        'A call of the platform brought no outcome',
      );
    return result;
  }
}

/** Label for metric and span. Text that is not an EXECCODE may be long and have many values, so all of it shares one label. */
function labelOf(execCode: string | undefined): string {
  if (execCode === undefined) return 'none';
  return /^[0-9A-Za-z]{1,8}$/.test(execCode) ? execCode : 'other';
}
