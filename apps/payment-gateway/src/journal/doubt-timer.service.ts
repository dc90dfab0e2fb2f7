import { Injectable } from '@nestjs/common';
import { findOperation, RULES_VERSION } from '@tranche/order-journal';
import { ServiceLogger } from '@tranche/service-kit';
import { Clock, isoTime } from '../clock.js';
import { SEND_DEADLINE_MS } from '../command/send-deadline.js';
import { GatewayConfig } from '../gateway.config.js';
import { Journal } from './journal.service.js';
import type { OpenIntent } from './open-intents.js';

const LOOK_EVERY_MS = 200;
const RETRY_AFTER_MS = 2_000;

/** A granted intent whose owner was not heard of for time-out + grace is in doubt; any instance may say so (R4). */
@Injectable()
export class DoubtTimer {
  readonly #waitMs: number;
  #timer?: NodeJS.Timeout;
  #looking = Promise.resolve();

  constructor(
    config: GatewayConfig,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly log: ServiceLogger,
  ) {
    this.#waitMs = SEND_DEADLINE_MS + config.platformTimeoutMs + config.doubtGraceMs;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#looking = this.#looking.then(() => this.#look());
    }, LOOK_EVERY_MS);
  }

  /** A doubt that is being written may still land; it needs nobody. */
  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const due = this.journal.openIntents.takeSeenBefore(this.clock.monotonicMs() - this.#waitMs);
    for (const intent of due) {
      try {
        await this.#raise(intent);
      } catch (error) {
        this.log.warn({ err: error, orderId: intent.orderId }, 'A doubt could not be written; it will be tried again');
        this.journal.openIntents.add({ ...intent, seenMs: this.clock.monotonicMs() - this.#waitMs + RETRY_AFTER_MS });
      }
    }
  }

  async #raise({ merchant, orderId, commandId, attempt, token }: OpenIntent): Promise<void> {
    const operation = findOperation(await this.journal.read(merchant, orderId), commandId);
    if (operation?.phase !== 'open' || operation.token !== token) return;
    const message = `Nothing was heard of this call for ${Math.round(this.#waitMs / 1000)} s: whether it was executed is not known`;
    const identity = { rulesVersion: RULES_VERSION, merchant, orderId, at: isoTime(this.clock), commandId, attempt, token };
    await this.journal.append({ record: 'IN_DOUBT', ...identity, reason: 'owner_lost', message });
    this.log.warn({ merchant, orderId, commandId, attempt }, 'An operation without an owner is in doubt');
  }
}
