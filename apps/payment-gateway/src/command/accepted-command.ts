import {
  contentHash,
  decodeCloudEvent,
  isCommandType,
  operationKind,
  orderKey,
  parseOrderKey,
  SIGNATURE_HEADER,
  validateCommandData,
  type CloudEvent,
  type Fault,
  type Merchant,
  type Merchants,
  type Rail,
} from '@tranche/contracts';
import {
  looksTagged,
  tagExtraData,
  type CommandFacts,
  type ExecutableCommand,
  type RefusedCommand,
} from '@tranche/order-journal';
import { currencyOf, faultsOfRules, returnPageIn, withReturnPage, type PlatformOperation } from '@tranche/platform';
import type { Rejection } from './command-rejected.js';

/** A command that is sound by itself; whether its order allows it is decided later. */
export type AcceptedCommand = PlatformOperation &
  Omit<ExecutableCommand, 'merchant' | 'rail'> & {
    /** `ce_time`, milliseconds since the epoch. */
    readonly timeMs: number;
    /** When Kafka took it, milliseconds since the epoch; absent where the record does not say. */
    readonly appendedMs?: number;
    readonly correlationId?: string;
    readonly orderKey: string;
  };

export type ReadCommand =
  | { read: 'accepted'; command: AcceptedCommand }
  /** It names its order, so an event can answer it. `command`: it may be one that was accepted once, before the configuration changed. */
  | { read: 'rejected'; rejection: Rejection; command?: RefusedCommand }
  /** It names no order that an event could be about: a dead letter. */
  | { read: 'unreadable'; faults: Fault[] };

interface CommandRecord {
  key: string | null;
  value: Buffer | null;
  headers: Record<string, string>;
  repeatedHeaders?: readonly string[];
  timestampMs?: number;
}

/** A publisher's clock may be ahead of the broker's by so much. Milliseconds. */
const AHEAD_AT_MOST_MS = 300_000;

/** Reads a record of a command topic; every fault at once, each with its path. Never throws. */
export function readCommand(record: CommandRecord, rail: Rail, merchants: Merchants): ReadCommand {
  const repeated = (record.repeatedHeaders ?? []).filter(isOfEnvelope);
  if (repeated.length > 0)
    return { read: 'unreadable', faults: repeated.map((path) => ({ path, code: 'duplicate', message: REPEATED })) };
  const decoded = decodeCloudEvent(record);
  const event: Partial<CloudEvent> = decoded.event ?? {};
  const named = orderOf(event.data) ?? (record.key === null ? undefined : parseOrderKey(record.key));
  if (named === undefined || event.data === undefined)
    return { read: 'unreadable', faults: decoded.faults.length > 0 ? decoded.faults : [noOrder()] };

  const merchant = merchants.byName(named.merchant);
  const faults = [...decoded.faults, ...envelopeFaults(event, record, named, merchant)];
  const type = event.type ?? '';
  if (isCommandType(type)) {
    const { value, faults: faultsOfData } = validateCommandData(rail, type, event.data, merchant);
    faults.push(...faultsOfData);
    faults.push(...faultsOfExtraData(event.data));
    if (merchant) faults.push(...faultsOfRules(rail, type, event.data, merchant, Date.parse(event.time ?? '')));
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
  return { read: 'rejected', rejection: { ...identity, faults }, ...(command === undefined ? {} : { command }) };
}

const REPEATED = 'is there more than once: readers would take different ones';

/** One that says what the command is, or who made it. */
const isOfEnvelope = (header: string): boolean =>
  header.startsWith('ce_') || header === 'content-type' || header === SIGNATURE_HEADER;

/** Undefined for Kafka's -1: the record has none. */
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
    faults.push({ path: 'ce_type', code: 'unknown_type', message: 'is no command type' });
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

function faultsOfExtraData(data: unknown): Fault[] {
  const { extraData } = (typeof data === 'object' && data !== null ? data : {}) as Record<string, unknown>;
  if (typeof extraData !== 'string' || (!looksTagged(extraData) && returnPageIn(extraData) === undefined)) return [];
  return [{ path: 'extraData', code: 'format', message: 'must not end like what is put behind it' }];
}

/** EXTRADATA as it is sent, with our tag where there is room for it (R8); undefined for a card payment, which has none. */
export function sentExtraData(command: AcceptedCommand, attempt: number): ReturnType<typeof tagExtraData> | undefined {
  if (command.operation === 'pay') return undefined;
  const { data } = command;
  const page = 'returnPage' in data ? data.returnPage : undefined;
  return tagExtraData(withReturnPage(data.extraData, page), command.commandId, attempt);
}

/** What the journal keeps of a command. `currencyOfOrder`: of what a follow-up names. */
export function factsOf(command: AcceptedCommand, currencyOfOrder?: string): CommandFacts {
  const { operation, rail, merchant, contentHash, correlationId, data } = command;
  const currency = currencyOfOrder ?? currencyOf(data, merchant);
  return {
    ...{ operation, rail, contentHash, correlationId, currency },
    amount: 'amount' in data ? data.amount : undefined,
    supersedes: 'supersedes' in data ? data.supersedes : undefined,
  };
}

/** Merchant and order as the content names them, if both could be a key's. */
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

/** Levels of the contracts' content are fewer: what is deeper was never accepted, and a hash of it may need more stack than there is. */
const DEEPEST = 20;

const isDeep = (value: unknown, levels = DEEPEST): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((one) => isDeep(one, levels - 1)));
