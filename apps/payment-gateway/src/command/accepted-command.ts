import {
  appendedMsOf,
  contentHash,
  currencyOf,
  isCommandType,
  judgeCommand,
  operationKind,
  orderKey,
  withReturnPage,
  type CommandRecord,
  type Fault,
  type JudgedCommand,
  type Merchants,
  type Rail,
} from '@tranche/contracts';
import {
  compact,
  tagExtraData,
  type CommandFacts,
  type CommandCopy,
  type ExecutableCommand,
} from '@tranche/order-journal';
import type { PlatformOperation } from '@tranche/platform';
import type { Rejection } from './command-answers.service.js';

/** A command that is valid by itself; its order is checked later. */
export type AcceptedCommand = PlatformOperation &
  Omit<ExecutableCommand, 'merchant' | 'rail'> & {
    /** `ce_time`, milliseconds since the epoch. */
    readonly timeMs: number;
    readonly correlationId: string | undefined;
    readonly orderKey: string;
  };

export type ReadCommand =
  | { read: 'accepted'; command: AcceptedCommand }
  /**
   * The command names its order, so an event can report the rejection. `command`: set if the journal may know it from an earlier acceptance.
   * `timeMs`: `ce_time`, where it is a time.
   */
  | { read: 'rejected'; rejection: Rejection; command?: CommandCopy; timeMs?: number }
  /** Becomes a dead letter. `rejection`: set where key and `ce_id` can be read, so that its sender gets an event too. */
  | { read: 'unreadable'; faults: Fault[]; rejection?: Rejection & { commandId: string } };

/** Reads a record of a command topic. A rejection reports all faults at once, each with its path. Never throws. */
export function readCommand(record: CommandRecord, rail: Rail, merchants: Merchants): ReadCommand {
  const judged = judgeCommand(record, rail, merchants);
  if (judged.read === 'accepted')
    return {
      read: 'accepted',
      command: accept(judged, record, rail),
    };
  const { event, named, faults } = judged;
  const { id, type = '', correlationid } = event;
  if (judged.read === 'unreadable')
    return {
      read: 'unreadable',
      faults,
      ...(named && id !== undefined && { rejection: { ...named, commandId: id, faults } }),
    };
  const order = judged.named;
  const isOfOrder = record.key === orderKey(order.merchant, order.orderId);
  const mayBeKnown = id !== undefined && isCommandType(type) && isOfOrder && !isDeep(event.data);
  const command = mayBeKnown ? { ...order, commandId: id, contentHash: contentHash(type, event.data) } : undefined;
  const { timeMs } = judged;
  return compact({
    read: 'rejected' as const,
    rejection: compact({ ...order, commandId: id, correlationId: correlationid, faults }),
    command,
    timeMs: Number.isNaN(timeMs) ? undefined : timeMs,
  });
}

function accept(
  { event, timeMs, merchant, value }: Extract<JudgedCommand, { read: 'accepted' }>,
  record: CommandRecord,
  rail: Rail,
): AcceptedCommand {
  const { orderId } = value;
  return {
    operation: operationKind(event.type as Parameters<typeof operationKind>[0]),
    data: value,
    orderId,
    commandId: event.id,
    timeMs,
    appendedMs: appendedMsOf(record),
    correlationId: event.correlationid,
    rail,
    merchant,
    orderKey: orderKey(merchant.merchant, orderId),
    contentHash: contentHash(event.type, event.data),
  } as AcceptedCommand;
}

/** Returns EXTRADATA as it is sent, with our tag where there is room for it (R8); undefined for a card payment, which has none. */
export function sentExtraData(command: AcceptedCommand, attempt: number): ReturnType<typeof tagExtraData> | undefined {
  if (command.operation === 'pay') return undefined;
  const { data } = command;
  const page = 'returnPage' in data ? data.returnPage : undefined;
  return tagExtraData(withReturnPage(data.extraData, page), command.commandId, attempt);
}

/** Returns the part of a command that the journal keeps. `currencyOfOrder`: currency of the earlier operation that a capture, refund or void names. */
export function factsOf(command: AcceptedCommand, currencyOfOrder?: string): CommandFacts {
  const { operation, rail, merchant, contentHash, correlationId, data } = command;
  return {
    operation,
    rail,
    contentHash,
    correlationId,
    currency: currencyOfOrder ?? currencyOf(data, merchant),
    amount: 'amount' in data ? data.amount : undefined,
    supersedes: 'supersedes' in data ? data.supersedes : undefined,
  };
}

/** Maximum depth of `data`. Valid data is less deep, and hashing deeper data could overflow the stack. */
const DEEPEST = 20;

const isDeep = (value: unknown, levels = DEEPEST): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((one) => isDeep(one, levels - 1)));
