import { decodeCloudEvent, isAttributeHeader, type CloudEvent, type ReceivedMessage } from '../cloud-events.js';
import { fault, type Fault } from '../error-codes.js';
import type { Merchant, Merchants } from '../merchants.js';
import { isCommandType } from '../message-types.js';
import type { Rail } from '../methods.js';
import { orderKey, parseOrderKey } from '../topics.js';
import { SIGNATURE_HEADER } from '../signatures/command-signature.js';
import { checkCommand } from './merchant-rules.js';
import type { CommandData } from './validate-command.js';

/** A record of a command topic, as it lies there. */
export interface CommandRecord extends ReceivedMessage {
  key: string | null;
  repeatedHeaders?: readonly string[];
  /** Milliseconds since the epoch; absent or -1 where the record has no time. */
  timestampMs?: number;
}

type OrderName = { merchant: string; orderId: string };

/** `timeMs`: `ce_time` in milliseconds since the epoch; NaN where it is no time. */
export type JudgedCommand =
  /** Valid by itself. Its order, age and signature are judged apart. */
  | { read: 'accepted'; event: CloudEvent; timeMs: number; merchant: Merchant; value: CommandData; faults: [] }
  /** The command names its order, so an event can report the faults. */
  | { read: 'rejected'; event: Partial<CloudEvent>; timeMs: number; named: OrderName; faults: Fault[] }
  /** `named`: the order, if key or content names it. */
  | { read: 'unreadable'; event: Partial<CloudEvent>; named?: OrderName; faults: Fault[] };

/** Maximum by which a publisher's clock may be ahead of the broker's. Milliseconds. */
const AHEAD_AT_MOST_MS = 300_000;

/**
 * Judges a record of a command topic as far as that is possible without its order, and reports all faults at once. payment-gateway and
 * `tranche commands check` share this function. Never throws.
 */
export function judgeCommand(record: CommandRecord, rail: Rail, merchants: Merchants): JudgedCommand {
  const decoded = decodeCloudEvent(record);
  const event: Partial<CloudEvent> = decoded.event ?? {};
  const repeated = (record.repeatedHeaders ?? []).filter(isOfEnvelope);
  // No order is named: anybody who may write to the topic could repeat a header of somebody's signed command, and have it called rejected.
  if (repeated.length > 0)
    return { read: 'unreadable', event, faults: repeated.map((path) => fault(path, 'duplicate', REPEATED)) };
  const named = orderOf(event.data) ?? (record.key === null ? undefined : parseOrderKey(record.key));
  if (named === undefined || event.data === undefined) {
    const faults = decoded.faults.length > 0 ? decoded.faults : [fault('key', 'malformed_envelope', NO_ORDER)];
    return { read: 'unreadable', event, faults, ...(named && { named }) };
  }
  const merchant = merchants.byName(named.merchant);
  const timeMs = Date.parse(event.time ?? '');
  const faults = [...decoded.faults, ...envelopeFaults(event, timeMs, record, named, merchant)];
  const type = event.type ?? '';
  if (isCommandType(type)) {
    const { value, faults: faultsOfData } = checkCommand(rail, type, event.data, { merchant, timeMs });
    faults.push(...faultsOfData);
    if (faults.length === 0 && value !== undefined && merchant)
      return { read: 'accepted', event: event as CloudEvent, timeMs, merchant, value, faults: [] };
  }
  return { read: 'rejected', event, timeMs, named, faults };
}

const REPEATED = 'must occur only once, because readers could take different values';
const NO_ORDER = 'neither key nor content names merchant and order';

/** True for headers that identify the command or its publisher. */
const isOfEnvelope = (header: string): boolean =>
  isAttributeHeader(header) || header === 'content-type' || header === SIGNATURE_HEADER;

/** Returns undefined if the record has no timestamp (Kafka: -1). */
export const appendedMsOf = ({ timestampMs = -1 }: Pick<CommandRecord, 'timestampMs'>): number | undefined =>
  timestampMs > 0 ? timestampMs : undefined;

function envelopeFaults(
  event: Partial<CloudEvent>,
  timeMs: number,
  record: CommandRecord,
  named: OrderName,
  merchant: Merchant | undefined,
): Fault[] {
  const faults: Fault[] = [];
  if (event.type !== undefined && !isCommandType(event.type))
    faults.push(fault('ce_type', 'unknown_type', 'is not a command type'));
  if (merchant === undefined) faults.push(fault('merchant', 'unknown_merchant', 'is not configured'));
  if (record.key !== orderKey(named.merchant, named.orderId))
    faults.push(fault('key', 'key_mismatch', 'must be merchant/orderId of the command'));
  if (timeMs - (appendedMsOf(record) ?? Infinity) > AHEAD_AT_MOST_MS)
    faults.push(fault('ce_time', 'time_ahead', 'is more than 5 minutes after Kafka took the command'));
  return faults;
}

/** Returns merchant and order as the content names them, if both are valid in a record key. */
function orderOf(data: unknown): OrderName | undefined {
  const { merchant, orderId } = (typeof data === 'object' && data !== null ? data : {}) as Record<string, unknown>;
  return typeof merchant === 'string' && typeof orderId === 'string'
    ? parseOrderKey(orderKey(merchant, orderId))
    : undefined;
}
