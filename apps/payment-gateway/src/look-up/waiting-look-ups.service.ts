import { Injectable } from '@nestjs/common';
import type { OperationState, OrderState } from '@tranche/order-journal';
import { mayBeLookedUp } from '@tranche/platform';
import { ServiceLogger } from '@tranche/service-kit';
import { Clock, isoTime } from '../clock.js';
import { GatewayConfig } from '../gateway.config.js';
import { Journal } from '../journal/journal.service.js';
import { LookUpService } from './look-up.service.js';

/** Looks up payments that wait for their cardholder or for an approval, a limited number at once. */
@Injectable()
export class WaitingLookUps {
  #underWay = 0;

  constructor(
    private readonly config: GatewayConfig,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly lookUp: LookUpService,
    private readonly log: ServiceLogger,
  ) {}

  /** True once the answer is journaled, or where a look-up is not allowed; false where it must be retried. Never rejects. */
  async ask(order: OrderState, operation: OperationState): Promise<boolean> {
    const merchant = this.config.merchants.byName(order.merchant);
    if (merchant === undefined || !mayBeLookedUp(order.orderId, merchant)) return true;
    if (this.#underWay >= this.config.lookUpInFlight) return false;
    this.#underWay++;
    try {
      const bearer = await this.lookUp.bearerFor(merchant);
      const asked = { merchant, order, operation, at: isoTime(this.clock) };
      for (const evidence of await this.lookUp.ask(asked, bearer)) await this.journal.append(evidence);
      return true;
    } catch (error) {
      const { orderId } = order;
      this.log.warn({ err: error, orderId }, 'A payment that waits could not be looked up; it will be tried again');
      return false;
    } finally {
      this.#underWay--;
    }
  }
}
