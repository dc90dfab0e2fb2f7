import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { COMMAND_TOPICS, railOfTopic, type Fault } from '@tranche/contracts';
import type { ConsumedRecord } from '@tranche/kafka';
import { KafkaHandler, KafkaRecordContext, RetryableError, TerminalError } from '@tranche/kafka/nest';
import type { CommandLease } from '@tranche/order-journal';
import { traceHeadersOf } from '@tranche/runtime';
import { Metrics } from '@tranche/service-kit';
import { Clock, isoTime } from '../clock.js';
import { GatewayConfig } from '../gateway.config.js';
import { EventsProducer } from '../journal/events.producer.js';
import { readCommand, type AcceptedCommand } from './accepted-command.js';
import { commandRejected, type Rejection } from './command-rejected.js';
import { PaymentExecutor } from './payment-executor.service.js';

/** Errors of ours rather than of the world around: trying again would not help. */
const BUGS = [TypeError, ReferenceError, RangeError, SyntaxError];

/** Commands in, from the three rails. */
@Controller()
export class CommandConsumer {
  readonly #commands;

  constructor(
    private readonly config: GatewayConfig,
    private readonly executor: PaymentExecutor,
    private readonly events: EventsProducer,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.#commands = metrics.counter({
      name: 'tranche_commands_total',
      help: 'Commands by rail and outcome of reading them: accepted, rejected or unreadable',
      labelNames: ['rail', 'outcome'],
    });
  }

  @KafkaHandler(Object.values(COMMAND_TOPICS).map(({ name }) => name))
  async take(@Payload() record: ConsumedRecord, @Ctx() context: KafkaRecordContext): Promise<void> {
    const rail = railOfTopic(record.topic);
    if (rail === undefined) throw new TerminalError('unknown_topic', `${record.topic} is no command topic`);
    const read = readCommand(record, rail, this.config.merchants);
    this.#commands.inc({ rail, outcome: read.read });
    switch (read.read) {
      case 'unreadable':
        throw new TerminalError('unreadable', read.faults.map(({ path, message }) => `${path}: ${message}`).join('; '));
      case 'rejected':
        return this.#reject(record, read.rejection);
      case 'accepted':
        return this.#execute(record, read.command, context);
    }
  }

  async #execute(record: ConsumedRecord, command: AcceptedCommand, context: KafkaRecordContext): Promise<void> {
    const { signal } = context;
    const lease: CommandLease = { signal, releaseSlotWhile: (wait) => context.withoutSlot(wait) };
    const trace = traceHeadersOf(record.headers);
    const traced = trace === undefined ? command : { ...command, trace };
    const end = await this.executor.execute(traced, lease).catch((error: unknown) => {
      if (error instanceof RetryableError || BUGS.some((bug) => error instanceof bug)) throw error;
      throw new RetryableError('The command can not be handled now', { cause: error });
    });
    if (end === 'done') return;
    const fault: Fault = { path: 'ce_id', code: 'id_reused', message: 'was used for a command with other content' };
    const { commandId, correlationId, merchant, orderId } = command;
    const identity = { merchant: merchant.merchant, orderId, commandId, ...(correlationId === undefined ? {} : { correlationId }) };
    await this.#reject(record, { ...identity, faults: [fault] });
  }

  #reject(record: ConsumedRecord, rejection: Rejection): Promise<void> {
    return this.events.publish([commandRejected(record, rejection, isoTime(this.clock))]);
  }
}
