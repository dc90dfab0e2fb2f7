import { randomUUID } from 'node:crypto';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { COMMAND_TOPICS, orderKey, railOfTopic, type Fault } from '@tranche/contracts';
import type { ConsumedRecord } from '@tranche/kafka';
import { KafkaHandler, KafkaRecordContext, RetryableError, TerminalError } from '@tranche/kafka/nest';
import {
  answerKnownCommand,
  COMMAND_TIME_HEADER,
  findOperation,
  OPERATIONS_AT_MOST,
  type BetweenAttempts,
  type CommandLease,
  type KnownCommandPorts,
  type RefusedCommand,
} from '@tranche/order-journal';
import { compact, traceHeadersOf } from '@tranche/runtime';
import { Metrics } from '@tranche/service-kit';
import { Clock, isoTime } from '../clock.js';
import { GatewayConfig } from '../gateway.config.js';
import { EventsProducer } from '../journal/events.producer.js';
import { Journal } from '../journal/journal.service.js';
import { Recovery } from '../journal/recovery.service.js';
import { commandSignatureProblem } from './command-signature-problem.js';
import { appendedMsOf, readCommand, type AcceptedCommand, type ReadCommand } from './accepted-command.js';
import { CommandForwarder } from './command-forwarder.service.js';
import { commandRejected, type Rejection } from './command-rejected.js';
import { RepublishThrottle } from './republish-throttle.js';
import { PaymentExecutor } from './payment-executor.service.js';

/** Errors of our code. A retry would not help. */
const BUGS = [TypeError, ReferenceError, RangeError, SyntaxError];

const ORDER_FULL: Fault = {
  path: '',
  code: 'too_many_operations',
  message: `The order has ${OPERATIONS_AT_MOST} operations: no further one is taken`,
};

const UNSIGNED = { code: 'signature_refused', message: 'no key of the merchant has signed the command' } as const;

const HELD_BACK = {
  code: 'journal_resumed',
  message:
    'was made before its journal partition was resumed, so it may have been executed: publish it with a new id if not',
} as const;

type KnownId = { merchant: string; orderId: string; commandId: string };

type ReadableCommand = Exclude<ReadCommand, { read: 'unreadable' }>;

@Controller()
export class CommandConsumer {
  readonly #commands;
  readonly #signatures;

  constructor(
    private readonly config: GatewayConfig,
    private readonly forwarder: CommandForwarder,
    private readonly executor: PaymentExecutor,
    private readonly journal: Journal,
    private readonly recovery: Recovery,
    private readonly events: EventsProducer,
    private readonly clock: Clock,
    private readonly repeats: RepublishThrottle,
    metrics: Metrics,
  ) {
    this.#commands = metrics.counter({
      name: 'tranche_commands_total',
      help: 'Commands by rail and outcome of reading them: accepted, rejected or unreadable',
      labelNames: ['rail', 'outcome'],
    });
    this.#signatures = metrics.counter({
      name: 'tranche_command_signatures_total',
      help: 'Signatures of commands by merchant and outcome: verified, missing, malformed, unknown_key, key_revoked, key_not_valid_then or does_not_match',
      labelNames: ['merchant', 'outcome'],
    });
  }

  @KafkaHandler(Object.values(COMMAND_TOPICS).map(({ name }) => name))
  async take(@Payload() consumed: ConsumedRecord, @Ctx() context: KafkaRecordContext): Promise<void> {
    if (await asRetryable(this.forwarder.forward(consumed))) return;
    const record = this.#moved(consumed);
    const rail = railOfTopic(record.topic);
    if (rail === undefined) throw new TerminalError('unknown_topic', `${record.topic} is no command topic`);
    const read = readCommand(record, rail, this.config.merchants);
    this.#commands.inc({ rail, outcome: read.read });
    if (read.read === 'unreadable') return this.#refuseUnreadable(record, read);
    // Checked first: a command without a valid signature must not change the journal, and its content must not be kept.
    if (await this.#isUnsigned(record, read)) return this.#refuseUnsigned(record, read, context);
    if (this.#isBeforeALoss(read) && (await this.#holdBack(record, read, context))) return;
    switch (read.read) {
      case 'rejected':
        return this.#refuse(record, read, context);
      case 'accepted':
        return this.#execute(record, read.command, context);
    }
  }

  /** `CLOCK_OFFSET_MS` moves our clock and that of Redis, so Kafka's time is moved too. */
  #moved(record: ConsumedRecord): ConsumedRecord {
    const { clockOffsetMs } = this.config;
    if (clockOffsetMs === 0 || record.timestampMs < 0) return record;
    return { ...record, timestampMs: record.timestampMs + clockOffsetMs };
  }

  async #execute(record: ConsumedRecord, command: AcceptedCommand, context: KafkaRecordContext): Promise<void> {
    const traced = { ...command, trace: headersFor(record) };
    const end = await asRetryable(this.executor.execute(traced, leaseOf(context)));
    if (end === 'done') return;
    const { commandId, correlationId, merchant, orderId } = command;
    const identity = {
      merchant: merchant.merchant,
      orderId,
      commandId,
      ...(correlationId === undefined ? {} : { correlationId }),
    };
    if (end === 'reused') return this.#rejectReused(record, identity);
    await this.#reject(record, { ...identity, faults: [ORDER_FULL] });
  }

  /** True for a command that was made before its journal partition was resumed. */
  #isBeforeALoss(read: ReadableCommand): boolean {
    const { merchant, orderId, commandId } = read.read === 'accepted' ? refusedCommandOf(read.command) : read.rejection;
    const timeMs = read.read === 'accepted' ? read.command.timeMs : read.timeMs;
    return this.recovery.resumes.isBefore(orderKey(merchant, orderId), compact({ commandId, timeMs }));
  }

  /**
   * The lost records may include an attempt of this command, so we never send it. If the journal still knows the operation, we publish its result; an
   * operation between two attempts becomes in_doubt. An unknown command gets no result and becomes a dead letter (R11).
   * @returns false where another command has its id
   */
  async #holdBack(record: ConsumedRecord, read: ReadableCommand, context: KafkaRecordContext): Promise<boolean> {
    const command = read.read === 'accepted' ? refusedCommandOf(read.command) : read.command;
    const answer = command && (await this.#answerKnown(record, command, 'in_doubt', context));
    if (answer === undefined || answer === 'unknown') throw new TerminalError(HELD_BACK.code, HELD_BACK.message);
    return answer === 'answered';
  }

  /**
   * A dead letter, and an event for the sender where the record names its command. Not where the signature that the merchant demands is
   * missing, because anybody may have written the id, nor in a journal partition whose lost records may include this command.
   */
  async #refuseUnreadable(
    record: ConsumedRecord,
    { faults, rejection }: Extract<ReadCommand, { read: 'unreadable' }>,
  ): Promise<never> {
    if (rejection !== undefined) {
      const read = { read: 'rejected', rejection } as const;
      const isLost = this.recovery.resumes.hasResumed(orderKey(rejection.merchant, rejection.orderId));
      if (!isLost && !(await this.#isUnsigned(record, read)))
        await this.#reject(record, { ...rejection, ...(await this.#knownState(rejection)) });
    }
    throw new TerminalError('unreadable', faults.map(({ path, message }) => `${path}: ${message}`).join('; '));
  }

  async #isUnsigned(record: ConsumedRecord, read: ReadableCommand): Promise<boolean> {
    const name = read.read === 'accepted' ? read.command.merchant.merchant : read.rejection.merchant;
    const merchant = this.config.merchants.byName(name);
    const topic = this.config.kafkaTopicPrefix + record.topic;
    const { environmentId } = this.config;
    const checked = merchant && (await commandSignatureProblem({ ...record, topic }, merchant, environmentId));
    if (checked === undefined) return false;
    this.#signatures.inc({ merchant: name, outcome: checked });
    return checked !== 'verified';
  }

  /** A known command gets its result, whoever sent it. Any other one becomes a dead letter, because anybody may have written its ids. */
  async #refuseUnsigned(record: ConsumedRecord, read: ReadableCommand, context: KafkaRecordContext): Promise<void> {
    const command = read.read === 'accepted' ? refusedCommandOf(read.command) : read.command;
    const answer = command && (await this.#answerKnown(record, command, 'left_alone', context));
    if (answer !== 'answered') throw new TerminalError(UNSIGNED.code, UNSIGNED.message, { withoutContent: true });
  }

  #answerKnown(record: ConsumedRecord, command: RefusedCommand, between: BetweenAttempts, context: KafkaRecordContext) {
    const traced = { ...command, trace: headersFor(record) };
    const republishResult: KnownCommandPorts['republishResult'] = (copy, lease, append) =>
      this.repeats.republish({ ...copy, appendedMs: appendedMsOf(record) }, lease, append);
    const ports = { journal: this.journal.view, timing: this.clock, newToken: randomUUID, republishResult };
    return asRetryable(answerKnownCommand(ports, traced, between, leaseOf(context)));
  }

  /** A command that its order knows was accepted once: its result counts, even where today's configuration or checks refuse it (R13). */
  async #refuse(
    record: ConsumedRecord,
    { rejection, command }: Extract<ReadCommand, { read: 'rejected' }>,
    context: KafkaRecordContext,
  ): Promise<void> {
    const [fault] = rejection.faults;
    if (command === undefined || fault === undefined) return this.#reject(record, rejection);
    const answer = await this.#answerKnown(record, command, fault, context);
    if (answer === 'reused') return this.#rejectReused(record, { ...rejection, commandId: command.commandId });
    if (answer === 'unknown') return this.#reject(record, rejection);
  }

  async #rejectReused(record: ConsumedRecord, identity: Omit<Rejection, 'faults'> & KnownId): Promise<void> {
    const { merchant, orderId, commandId, correlationId } = identity;
    const fault: Fault = { path: 'ce_id', code: 'id_reused', message: 'was used for a command with other content' };
    await this.#reject(record, {
      ...{ merchant, orderId, commandId, faults: [fault] },
      ...(correlationId === undefined ? {} : { correlationId }),
      ...(await this.#knownState(identity)),
    });
  }

  /** A rejection names the state of the command that has its id, so that it is not taken for that command's result. */
  async #knownState({ merchant, orderId, commandId }: KnownId): Promise<{ knownState?: string }> {
    const known = findOperation(await asRetryable(this.journal.read(merchant, orderId)), commandId);
    return known === undefined ? {} : { knownState: known.end ?? known.phase };
  }

  #reject(record: ConsumedRecord, rejection: Rejection): Promise<void> {
    return this.events.publish([commandRejected(record, rejection, isoTime(this.clock))]);
  }
}

function refusedCommandOf({ merchant, orderId, commandId, contentHash }: AcceptedCommand): RefusedCommand {
  return { merchant: merchant.merchant, orderId, commandId, contentHash };
}

/** Headers of the journal records that the command causes: its trace, and its broker time. */
function headersFor({ headers, timestampMs }: ConsumedRecord): Record<string, string> {
  return { ...traceHeadersOf(headers), [COMMAND_TIME_HEADER]: String(timestampMs) };
}

function leaseOf(context: KafkaRecordContext): CommandLease {
  return { signal: context.signal, releaseSlotWhile: (wait) => context.withoutSlot(wait) };
}

/** Makes external failures retryable. Errors of our own code are not retried. */
function asRetryable<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (error instanceof RetryableError || error instanceof TerminalError || BUGS.some((bug) => error instanceof bug))
      throw error;
    throw new RetryableError('The command can not be handled now', { cause: error });
  });
}
