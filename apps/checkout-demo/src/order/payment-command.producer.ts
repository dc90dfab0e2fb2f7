import { Injectable } from '@nestjs/common';
import { Publisher } from '@tranche/client';
import type { PaymentCommand } from '../form/payment-command.js';

/** Publishes each command id at most once at a time: concurrent callers share one publish. */
@Injectable()
export class PaymentCommandProducer {
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(private readonly publisher: Publisher) {}

  /** Resolves when the command is durable. After a rejection the same id may be published again. */
  publish(id: string, command: PaymentCommand, time: string): Promise<void> {
    let publishing = this.#underWay.get(id);
    if (publishing === undefined) {
      publishing = this.#send(id, command, time).finally(() => this.#underWay.delete(id));
      this.#underWay.set(id, publishing);
    }
    return publishing;
  }

  async #send(id: string, { type, data }: PaymentCommand, time: string): Promise<void> {
    const options = { id, correlationId: data.orderId, time };
    await (type === 'payment.pay' ? this.publisher.pay(data, options) : this.publisher.authorize(data, options));
  }
}
