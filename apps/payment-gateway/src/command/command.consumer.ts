import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { COMMAND_TOPICS, railOfTopic } from '@tranche/contracts';
import { KafkaHandler, KafkaRecordContext, RetryableError, TerminalError, type ConsumedRecord } from '@tranche/kafka';
import type { Hold } from '@tranche/order-journal';
import { Metrics } from '@tranche/service-kit';
import { EventsProducer } from '../events.producer.js';
import { GatewayConfig } from '../gateway.config.js';
import { traceOf } from '../trace-of.js';
import { readCommand, type AcceptedCommand } from './accepted-command.js';
import { PaymentService } from './payment.service.js';

/** Errors of ours rather than of the world around: trying again would not help. */
const BUGS = [TypeError, ReferenceError, RangeError, SyntaxError];

/** Commands in, from the three rails. */
@Controller()
export class CommandConsumer {
  readonly #commands;

  constructor(
    private readonly config: GatewayConfig,
    private readonly payments: PaymentService,
    private readonly events: EventsProducer,
    metrics: Metrics,
  ) {
    this.#commands = metrics.counter({
      name: 'tranche_commands_total',
      help: 'Commands by rail and what became of them',
      labelNames: ['rail', 'became'],
    });
  }

  @KafkaHandler(Object.values(COMMAND_TOPICS).map(({ name }) => name))
  async take(@Payload() record: ConsumedRecord, @Ctx() context: KafkaRecordContext): Promise<void> {
    const rail = railOfTopic(record.topic);
    if (rail === undefined) throw new TerminalError('unknown_topic', `${record.topic} is no command topic`);
    const read = readCommand(record, rail, this.config.merchants);
    this.#commands.inc({ rail, became: read.read });
    switch (read.read) {
      case 'unreadable':
        throw new TerminalError('unreadable', read.faults.map(({ path, message }) => `${path}: ${message}`).join('; '));
      case 'rejected':
        await this.events.commandRejected(record, read.rejection);
        return;
      case 'accepted':
        await this.#handle(record, read.command, context);
    }
  }

  async #handle(record: ConsumedRecord, command: AcceptedCommand, hold: Hold): Promise<void> {
    const handled = await this.payments.handle(command, hold, traceOf(record.headers)).catch((error: unknown) => {
      if (error instanceof RetryableError || BUGS.some((bug) => error instanceof bug)) throw error;
      throw new RetryableError('The command can not be handled now', { cause: error });
    });
    if (handled === 'done') return;
    const fault = { path: 'ce_id', code: 'id_reused', message: 'was used for a command with other content' } as const;
    const { commandId, correlationId, merchant, data } = command;
    const told = {
      merchant: merchant.merchant,
      orderId: data.orderId,
      commandId,
      ...(correlationId === undefined ? {} : { correlationId }),
    };
    await this.events.commandRejected(record, { ...told, faults: [fault] });
  }
}
