import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { COMMAND_TOPICS, orderKey, railOfTopic, type Fault, type SignatureProblem } from '@tranche/contracts';
import type { ConsumedRecord } from '@tranche/kafka';
import { KafkaHandler, KafkaRecordContext, TerminalError } from '@tranche/kafka/nest';
import {
  CommandExecutor,
  giveUpWith,
  LEAVE_ALONE,
  OPERATIONS_AT_MOST,
  PUT_IN_DOUBT,
  type CommandCopy,
} from '@tranche/order-journal';
import { compact, copyWith } from '@tranche/runtime';
import { PartitionOwners } from '../journal/partition-owners.service.js';
import { Recovery } from '../journal/recovery.service.js';
import type { BearerToken } from '../platform/bearer-token.client.js';
import type { PlatformForm } from '../platform/platform-caller.service.js';
import type { AcceptedCommand, ReadCommand } from './accepted-command.js';
import { asRetryable, CommandAnswers, headersFor, leaseOf } from './command-answers.service.js';
import { CommandForwarder } from './command-forwarder.service.js';
import { CommandReader, type ReadableCommand } from './command-reader.service.js';

const ORDER_FULL: Fault = {
  path: '',
  code: 'too_many_operations',
  message: `The order has ${OPERATIONS_AT_MOST} operations: no further one is taken`,
};

const UNSIGNED = {
  code: 'signature_refused',
  /** `tranche commands find` shows the reason. It is one of ours: the record's own values may be anything. */
  message: (problem: SignatureProblem) => `no key of the merchant has signed the command: ${problem}`,
} as const;

const HELD_BACK = {
  code: 'journal_resumed',
  message:
    'was made before its journal partition was resumed, so it may have been executed: publish it with a new id if not',
} as const;

@Controller()
export class CommandConsumer {
  constructor(
    private readonly forwarder: CommandForwarder,
    private readonly owners: PartitionOwners,
    private readonly reader: CommandReader,
    private readonly executor: CommandExecutor<AcceptedCommand, PlatformForm, BearerToken>,
    private readonly answers: CommandAnswers,
    private readonly recovery: Recovery,
  ) {}

  @KafkaHandler(Object.values(COMMAND_TOPICS).map(({ name }) => name))
  async take(@Payload() consumed: ConsumedRecord, @Ctx() context: KafkaRecordContext): Promise<void> {
    const place = await asRetryable(this.forwarder.forward(consumed));
    if (place === 'forwarded') return;
    // Only what the partition's own orders are commanded waits for its journal.
    if (place === 'own' && !this.owners.isServing(consumed.partition))
      await asRetryable(context.withoutSlot(() => this.owners.whenServing(consumed.partition, context.signal)));
    const record = this.reader.moved(consumed);
    const rail = railOfTopic(record.topic);
    if (rail === undefined) throw new TerminalError('unknown_topic', `${record.topic} is no command topic`);
    const read = this.reader.read(record, rail);
    if (read.read === 'unreadable') return this.#refuseUnreadable(record, read);
    // Checked first: a command without a valid signature must not change the journal, and its content must not be kept.
    const problem = await this.reader.signatureProblem(record, read);
    if (problem !== undefined) return this.#refuseUnsigned(record, read, problem, context);
    if (this.#isBeforeALoss(read) && (await this.#holdBack(record, read, context))) return;
    switch (read.read) {
      case 'rejected':
        return this.#refuse(record, read, context);
      case 'accepted':
        return this.#execute(record, read.command, context);
    }
  }

  async #execute(record: ConsumedRecord, command: AcceptedCommand, context: KafkaRecordContext): Promise<void> {
    const traced = copyWith(command, { trace: headersFor(record) });
    const end = await asRetryable(this.executor.execute(traced, leaseOf(context)));
    if (end === 'done') return;
    const { commandId, correlationId, merchant, orderId } = command;
    const identity = compact({ merchant: merchant.merchant, orderId, commandId, correlationId });
    if (end === 'reused') return this.answers.rejectReused(record, identity);
    await this.answers.reject(record, { ...identity, faults: [ORDER_FULL] });
  }

  /** True for a command that was made before its journal partition was resumed. */
  #isBeforeALoss(read: ReadableCommand): boolean {
    const { merchant, orderId, commandId } = read.read === 'accepted' ? copyOf(read.command) : read.rejection;
    const timeMs = read.read === 'accepted' ? read.command.timeMs : read.timeMs;
    return this.recovery.resumes.isBefore(orderKey(merchant, orderId), compact({ commandId, timeMs }));
  }

  /**
   * The lost records may include an attempt of this command, so we never send it. If the journal still knows the operation, we publish its result; an
   * operation between two attempts becomes in_doubt. An unknown command gets no result and becomes a dead letter (R11).
   * @returns false where another command has its id
   */
  async #holdBack(record: ConsumedRecord, read: ReadableCommand, context: KafkaRecordContext): Promise<boolean> {
    const command = read.read === 'accepted' ? copyOf(read.command) : read.command;
    const answer = command && (await this.answers.known(record, command, PUT_IN_DOUBT, context));
    if (answer === undefined || answer === 'not_taken') throw new TerminalError(HELD_BACK.code, HELD_BACK.message);
    return answer === 'done';
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
      if (!isLost && (await this.reader.signatureProblem(record, read)) === undefined)
        await this.answers.reject(record, { ...rejection, ...(await this.answers.knownState(rejection)) });
    }
    throw new TerminalError('unreadable', faults.map(({ path, message }) => `${path}: ${message}`).join('; '));
  }

  /** A known command gets its result, whoever sent it. Any other one becomes a dead letter, because anybody may have written its ids. */
  async #refuseUnsigned(
    record: ConsumedRecord,
    read: ReadableCommand,
    problem: SignatureProblem,
    context: KafkaRecordContext,
  ): Promise<void> {
    const command = read.read === 'accepted' ? copyOf(read.command) : read.command;
    const answer = command && (await this.answers.known(record, command, LEAVE_ALONE, context));
    if (answer !== 'done') throw new TerminalError(UNSIGNED.code, UNSIGNED.message(problem), { withoutContent: true });
  }

  /** A command that its order knows was accepted once: its result counts, even where today's configuration or checks refuse it (R13). */
  async #refuse(
    record: ConsumedRecord,
    { rejection, command }: Extract<ReadCommand, { read: 'rejected' }>,
    context: KafkaRecordContext,
  ): Promise<void> {
    const [fault] = rejection.faults;
    if (command === undefined || fault === undefined) return this.answers.reject(record, rejection);
    const answer = await this.answers.known(record, command, giveUpWith(fault), context);
    if (answer === 'reused') return this.answers.rejectReused(record, { ...rejection, commandId: command.commandId });
    if (answer === 'not_taken') return this.answers.reject(record, rejection);
  }
}

function copyOf({ merchant, orderId, commandId, contentHash }: AcceptedCommand): CommandCopy {
  return { merchant: merchant.merchant, orderId, commandId, contentHash };
}
