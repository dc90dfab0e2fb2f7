import {
  checkCommand,
  contentHash,
  currencyOf,
  decodeCloudEvent,
  isAttributeHeader,
  isCommandType,
  operationKind,
  orderKey,
  parseOrderKey,
  SIGNATURE_HEADER,
  withReturnPage,
  type CloudEvent,
  type Fault,
  type Merchant,
  type Merchants,
  type Rail,
} from '@tranche/contracts';
import { tagExtraData, type CommandFacts, type ExecutableCommand, type RefusedCommand } from '@tranche/order-journal';
import type { PlatformOperation } from '@tranche/platform';
import type { Rejection } from './command-rejected.js';

/** A command that is valid by itself; its order is checked later. */
export type AcceptedCommand = PlatformOperation &
  Omit<ExecutableCommand, 'merchant' | 'rail'> & {
    /** `ce_time`, milliseconds since the epoch. */
    readonly timeMs: number;
    /** Broker time of the append, milliseconds since the epoch; absent where the record has none. */
    readonly appendedMs?: number;
    readonly correlationId?: string;
    readonly orderKey: string;
  };

export type ReadCommand =
  | { read: 'accepted'; command: AcceptedCommand }
  /**
   * The command names its order, so an event can report the rejection. `command`: set if the journal may know it from an earlier acceptance.
   * `timeMs`: `ce_time`, where it is a time.
   */
  | { read: 'rejected'; rejection: Rejection; command?: RefusedCommand; timeMs?: number }
  /** Becomes a dead letter. `rejection`: set where key and `ce_id` can be read, so that its sender gets an event too. */
  | { read: 'unreadable'; faults: Fault[]; rejection?: Rejection & { commandId: string } };

interface CommandRecord {
  key: string | null;
  value: Buffer | null;
  headers: Record<string, string>;
  repeatedHeaders?: readonly string[];
  timestampMs?: number;
}

/** Maximum by which a publisher's clock may be ahead of the broker's. Milliseconds. */
const AHEAD_AT_MOST_MS = 300_000;

/** Reads a record of a command topic. A rejection reports all faults at once, each with its path. Never throws. */
export function readCommand(record: CommandRecord, rail: Rail, merchants: Merchants): ReadCommand {
  const decoded = decodeCloudEvent(record);
  const event: Partial<CloudEvent> = decoded.event ?? {};
  const ofKey = record.key === null ? undefined : parseOrderKey(record.key);
  const repeated = (record.repeatedHeaders ?? []).filter(isOfEnvelope);
  if (repeated.length > 0) {
    const faults = repeated.map((path): Fault => ({ path, code: 'duplicate', message: REPEATED }));
    // No event: anybody who may write to the topic could repeat a header of somebody's signed command, and have it called rejected.
    return { read: 'unreadable', faults };
  }
  const named = orderOf(event.data) ?? ofKey;
  if (named === undefined || event.data === undefined)
    return unreadable(decoded.faults.length > 0 ? decoded.faults : [noOrder()], named, event.id);

  const merchant = merchants.byName(named.merchant);
  const faults = [...decoded.faults, ...envelopeFaults(event, record, named, merchant)];
  const type = event.type ?? '';
  if (isCommandType(type)) {
    const timeMs = Date.parse(event.time ?? '');
    const { value, faults: faultsOfData } = checkCommand(rail, type, event.data, { merchant, timeMs });
    faults.push(...faultsOfData);
    if (faults.length === 0 && value !== undefined && merchant)
      return { read: 'accepted', command: accept(event as CloudEvent, record, { rail, merchant }, value) };
  }
  const { id, correlationid } = event;
  const identity = {
    ...named,
    ...(id === undefined ? {} : { commandId: id }),
    ...(correlationid === undefined ? {} : { correlationId: correlationid }),
  };
  const isOfOrder = record.key === orderKey(named.merchant, named.orderId);
  const mayBeKnown = id !== undefined && isCommandType(type) && isOfOrder && !isDeep(event.data);
  const command = mayBeKnown ? { ...named, commandId: id, contentHash: contentHash(type, event.data) } : undefined;
  const timeMs = Date.parse(event.time ?? '');
  const time = Number.isNaN(timeMs) ? {} : { timeMs };
  return {
    read: 'rejected',
    rejection: { ...identity, faults },
    ...(command === undefined ? {} : { command }),
    ...time,
  };
}

function unreadable(
  faults: Fault[],
  named: { merchant: string; orderId: string } | undefined,
  commandId: string | undefined,
): ReadCommand {
  const isNamed = named !== undefined && commandId !== undefined;
  return { read: 'unreadable', faults, ...(isNamed && { rejection: { ...named, commandId, faults } }) };
}

const REPEATED = 'must occur only once, because readers could take different values';

/** True for headers that identify the command or its publisher. */
const isOfEnvelope = (header: string): boolean =>
  isAttributeHeader(header) || header === 'content-type' || header === SIGNATURE_HEADER;

/** Returns undefined if the record has no timestamp (Kafka: -1). */
export const appendedMsOf = ({ timestampMs = -1 }: Pick<CommandRecord, 'timestampMs'>): number | undefined =>
  timestampMs > 0 ? timestampMs : undefined;

function accept(
  event: CloudEvent,
  record: CommandRecord,
  { rail, merchant }: { rail: Rail; merchant: Merchant },
  data: object,
): AcceptedCommand {
  const appendedMs = appendedMsOf(record);
  const { orderId } = data as { orderId: string };
  return {
    operation: operationKind(event.type as Parameters<typeof operationKind>[0]),
    data,
    orderId,
    commandId: event.id,
    timeMs: Date.parse(event.time),
    ...(appendedMs === undefined ? {} : { appendedMs }),
    ...(event.correlationid === undefined ? {} : { correlationId: event.correlationid }),
    rail,
    merchant,
    orderKey: orderKey(merchant.merchant, orderId),
    contentHash: contentHash(event.type, event.data),
  } as AcceptedCommand;
}

function envelopeFaults(
  event: Partial<CloudEvent>,
  record: CommandRecord,
  named: { merchant: string; orderId: string },
  merchant: Merchant | undefined,
): Fault[] {
  const faults: Fault[] = [];
  if (event.type !== undefined && !isCommandType(event.type))
    faults.push({ path: 'ce_type', code: 'unknown_type', message: 'is not a command type' });
  if (merchant === undefined) faults.push({ path: 'merchant', code: 'unknown_merchant', message: 'is not configured' });
  if (record.key !== orderKey(named.merchant, named.orderId))
    faults.push({ path: 'key', code: 'key_mismatch', message: 'must be merchant/orderId of the command' });
  const aheadMs = Date.parse(event.time ?? '') - (appendedMsOf(record) ?? Infinity);
  if (aheadMs > AHEAD_AT_MOST_MS)
    faults.push({
      path: 'ce_time',
      code: 'time_ahead',
      message: 'is more than 5 minutes after Kafka took the command',
    });
  return faults;
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
  const currency = currencyOfOrder ?? currencyOf(data, merchant);
  return {
    ...{ operation, rail, contentHash, correlationId, currency },
    amount: 'amount' in data ? data.amount : undefined,
    supersedes: 'supersedes' in data ? data.supersedes : undefined,
  };
}

/** Returns merchant and order as the content names them, if both are valid in a record key. */
function orderOf(data: unknown): { merchant: string; orderId: string } | undefined {
  const { merchant, orderId } = (typeof data === 'object' && data !== null ? data : {}) as Record<string, unknown>;
  return typeof merchant === 'string' && typeof orderId === 'string'
    ? parseOrderKey(orderKey(merchant, orderId))
    : undefined;
}

const noOrder = (): Fault => ({
  path: 'key',
  code: 'malformed_envelope',
  message: 'neither key nor content names merchant and order',
});

/** Maximum depth of `data`. Valid data is less deep, and hashing deeper data could overflow the stack. */
const DEEPEST = 20;

const isDeep = (value: unknown, levels = DEEPEST): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((one) => isDeep(one, levels - 1)));
