import { Injectable } from '@nestjs/common';
import type { Merchant } from '@tranche/contracts';
import {
  inOrder,
  lookUpEvidence,
  mayWrite,
  type EvidenceRecord,
  type LookedUp,
  type LookedUpOperation,
} from '@tranche/order-journal';
import { listedTransaction, lookUpForm, readLookUpAnswer, type LookUpAnswer } from '@tranche/platform';
import { Metrics, ServiceLogger } from '@tranche/service-kit';
import type { BearerToken } from '../platform/bearer-token.client.js';
import { GatewayConfig } from '../gateway.config.js';
import { PlatformCaller } from '../platform/platform-caller.service.js';
import { LookUpClient } from './look-up.client.js';

/** Looks up one order at the platform, and derives evidence from the answer. */
@Injectable()
export class LookUpService {
  readonly #answers;

  constructor(
    private readonly config: GatewayConfig,
    private readonly client: LookUpClient,
    private readonly caller: PlatformCaller,
    private readonly log: ServiceLogger,
    metrics: Metrics,
  ) {
    this.#answers = metrics.counter({
      name: 'tranche_look_ups_total',
      help: 'Look-ups of operations in doubt and of payments that wait, by outcome: evidence, nothing, refused, unauthorized, failed',
      labelNames: ['merchant', 'outcome'],
    });
  }

  /** Bearer token for the merchant's look-ups; undefined where it needs none. @throws where no token is available now */
  async bearerFor(merchant: Merchant): Promise<BearerToken | undefined> {
    const bearer = await this.caller.bearerFor(merchant);
    if (bearer === 'refused') throw new Error('auth-service has no token for the account: its credentials are refused');
    return bearer;
  }

  /**
   * Returns what is to be journaled: evidence that the platform's list of the order's transactions gives about the operation, none where the look-up
   * failed, then that it was looked up. Never rejects.
   */
  async ask(asked: LookedUpOperation, bearer: BearerToken | undefined): Promise<(EvidenceRecord | LookedUp)[]> {
    const { merchant, order } = asked;
    const { orderId } = order;
    const answer = await this.#firstAnswer(lookUpForm(merchant, orderId), bearer);
    if (answer.kind === 'unauthorized' && bearer !== undefined) this.caller.noteRefused(merchant, bearer);
    const evidences =
      answer.kind === 'rows'
        ? lookUpEvidence(
            answer.rows.flatMap((row) => listedTransaction(row) ?? []),
            asked,
          )
        : [];
    const outcome = answer.kind === 'rows' ? (evidences.length > 0 ? 'evidence' : 'nothing') : answer.kind;
    this.#answers.inc({ merchant: merchant.merchant, outcome });
    const { commandId, attempt } = asked.operation;
    const about = { merchant: merchant.merchant, orderId, commandId, attempt };
    if (answer.kind === 'rows') {
      const found = { rows: answer.rows.length, execCodes: evidences.map((evidence) => evidence.answer.execCode) };
      this.log.info({ ...about, ...found }, 'An operation was looked up');
    } else this.log.warn({ ...about, ...answer }, 'A look-up brought no answer');
    if (!mayWrite('LOOKED_UP', this.config.rulesVersion)) return evidences;
    const ofOperation = { ...inOrder(order, asked.at), commandId, attempt };
    return [...evidences, { record: 'LOOKED_UP', ...ofOperation, result: outcome }];
  }

  async #firstAnswer(form: string, bearer: BearerToken | undefined): Promise<LookUpAnswer> {
    let answer: LookUpAnswer = { kind: 'failed', message: 'there is no URL' };
    for (let url = 0; url < this.client.urlCount; url++) {
      answer = readLookUpAnswer(await this.client.ask(form, url, bearer?.accessToken));
      if (answer.kind !== 'failed') return answer;
    }
    return answer;
  }
}
