import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { appendedMsOf, type Fault, orderKey, type CloudEvent, type PaymentEvent } from '@tranche/contracts';
import type { ConsumedRecord } from '@tranche/kafka';
import { type KafkaRecordContext, RetryableError, TerminalError } from '@tranche/kafka/nest';
import {
  COMMAND_TIME_HEADER,
  CommandExecutor,
  findOperation,
  type CommandCopy,
  type CommandLease,
  type KnownCommandPolicy,
} from '@tranche/order-journal';
import { compact, traceHeadersOf } from '@tranche/runtime';
import { Clock, isoTime } from '../clock.js';
import { EventsProducer } from '../journal/events.producer.js';
import { Journal } from '../journal/journal.service.js';
import type { BearerToken } from '../platform/bearer-token.client.js';
import type { PlatformForm } from '../platform/platform-caller.service.js';
import type { AcceptedCommand } from './accepted-command.js';

type KnownId = { merchant: string; orderId: string; commandId: string };

/** Answers commands that are not executed: a known one with its result, any other with a rejection. */
@Injectable()
export class CommandAnswers {
  constructor(
    private readonly journal: Journal,
    private readonly events: EventsProducer,
    private readonly executor: CommandExecutor<AcceptedCommand, PlatformForm, BearerToken>,
    private readonly clock: Clock,
  ) {}

  known(record: ConsumedRecord, command: CommandCopy, policy: KnownCommandPolicy, context: KafkaRecordContext) {
    const copy = compact({ ...command, trace: headersFor(record), appendedMs: appendedMsOf(record) });
    return asRetryable(this.executor.answerKnown(copy, policy, leaseOf(context)));
  }

  reject(record: ConsumedRecord, rejection: Rejection): Promise<void> {
    return this.events.publish([commandRejected(record, rejection, isoTime(this.clock))]);
  }

  async rejectReused(record: ConsumedRecord, identity: Omit<Rejection, 'faults'> & KnownId): Promise<void> {
    const { merchant, orderId, commandId, correlationId } = identity;
    const fault: Fault = { path: 'ce_id', code: 'id_reused', message: 'was used for a command with other content' };
    const rejection = { merchant, orderId, commandId, faults: [fault], ...compact({ correlationId }) };
    await this.reject(record, { ...rejection, ...(await this.knownState(identity)) });
  }

  /** A rejection names the state of the command that has its id, so that it is not taken for that command's result. */
  async knownState({ merchant, orderId, commandId }: KnownId): Promise<{ knownState?: string }> {
    const known = findOperation(await asRetryable(this.journal.read(merchant, orderId)), commandId);
    return known === undefined ? {} : { knownState: known.end ?? known.phase };
  }
}

/** Headers of the journal records that the command causes: its trace, and its broker time. */
export function headersFor({ headers, timestampMs }: ConsumedRecord): Record<string, string> {
  return { ...traceHeadersOf(headers), [COMMAND_TIME_HEADER]: String(timestampMs) };
}

export function leaseOf(context: KafkaRecordContext): CommandLease {
  return { signal: context.signal, releaseSlotWhile: (wait) => context.withoutSlot(wait) };
}

/** A message that never became an operation, and the faults. */
export interface Rejection {
  merchant: string;
  orderId: string;
  commandId?: string;
  correlationId?: string;
  faults: Fault[];
  /** For `id_reused`: state of the command that has the id. */
  knownState?: string;
}

/** Position of a message in Kafka. */
interface Location {
  topic: string;
  partition: number;
  offset: bigint;
  headers: Record<string, string>;
}

/** Builds `payment.command.rejected`, without a sequence. Its id derives from the message's position, so a redelivery gives the same event. */
function commandRejected(
  { topic, partition, offset, headers }: Location,
  rejection: Rejection,
  time: string,
): CloudEvent<PaymentEvent> {
  const { merchant, orderId, commandId, correlationId, faults, knownState } = rejection;
  return {
    id: createHash('sha256').update(`${topic}/${partition}/${offset}`).digest('base64url').slice(0, 27),
    source: '/tranche/payment-gateway',
    type: 'payment.command.rejected',
    time,
    subject: orderKey(merchant, orderId),
    ...traceHeadersOf(headers),
    ...compact({ correlationid: correlationId, causationid: commandId }),
    data: compact({ merchant, orderId, faults, commandId, knownState }),
  };
}

/** Errors of our code. A retry would not help. */
const BUGS = [TypeError, ReferenceError, RangeError, SyntaxError];

/** Makes external failures retryable. Errors of our own code are not retried. */
export function asRetryable<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (error instanceof RetryableError || error instanceof TerminalError || BUGS.some((bug) => error instanceof bug))
      throw error;
    throw new RetryableError('The command can not be handled now', { cause: error });
  });
}
