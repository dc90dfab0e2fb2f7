import type { MadeToken } from '../execution/executor-ports.js';
import type { ClockReading } from '../state/time.js';

/** Identity of a ledger. Conclusions are valid only for this journal, and only until the machine restarts. */
export interface LedgerIdentity {
  topicPrefix: string;
  clusterId: string;
  /** Changes with every start of the machine, when CLOCK_MONOTONIC restarts too. */
  bootId: string;
}

export interface LedgerEntry {
  token: MadeToken;
  made: ClockReading;
  sent?: ClockReading;
}

export interface Ledger {
  identity: LedgerIdentity;
  entries: LedgerEntry[];
}

const FORMAT = 1;

export const identityLine = ({ topicPrefix, clusterId, bootId }: LedgerIdentity): string =>
  line({ ledger: FORMAT, topicPrefix, clusterId, bootId });

export const madeLine = (
  { token, merchant, orderId, commandId, attempt }: MadeToken,
  { monotonicMs, wallMs }: ClockReading,
): string => line({ made: token, merchant, orderId, commandId, attempt, monotonicMs, wallMs });

export const sentLine = (token: string, { monotonicMs, wallMs }: ClockReading): string =>
  line({ sent: token, monotonicMs, wallMs });

export const linesOf = ({ token, made, sent }: LedgerEntry): string =>
  madeLine(token, made) + (sent === undefined ? '' : sentLine(token.token, sent));

/** Returns undefined where any byte is not as it was to be written: nothing is concluded from such a ledger. */
export function readLedger(bytes: Uint8Array): Ledger | undefined {
  try {
    const [first, ...lines] = textLines(bytes).map((text) => fieldsOf(text));
    const identity = identityOf(first);
    const entries = new Map<string, LedgerEntry>();
    for (const fields of lines) take(fields, entries);
    return { identity, entries: [...entries.values()] };
  } catch (error) {
    if (error instanceof UnreadableLineError) return undefined;
    throw error;
  }
}

class UnreadableLineError extends Error {
  override name = 'UnreadableLineError';
}

type Fields = Record<string, unknown>;

const line = (fields: Fields): string => `${JSON.stringify(fields)}\n`;

function textLines(bytes: Uint8Array): string[] {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UnreadableLineError();
  }
  const lines = text.split('\n');
  // A partly written line has no line feed.
  if (lines.pop() !== '') throw new UnreadableLineError();
  return lines;
}

/** Accepts a line only if writing its fields again gives the same text. */
function fieldsOf(text: string): Fields {
  let fields: unknown;
  try {
    fields = JSON.parse(text);
  } catch {
    throw new UnreadableLineError();
  }
  if (typeof fields !== 'object' || fields === null || JSON.stringify(fields) !== text) throw new UnreadableLineError();
  return fields as Fields;
}

function identityOf(fields: Fields = {}): LedgerIdentity {
  if (fields['ledger'] !== FORMAT) throw new UnreadableLineError();
  const { topicPrefix, clusterId, bootId } = fields;
  return { topicPrefix: text(topicPrefix), clusterId: text(clusterId), bootId: text(bootId) };
}

function take(fields: Fields, entries: Map<string, LedgerEntry>): void {
  const clocks = { monotonicMs: number(fields['monotonicMs']), wallMs: number(fields['wallMs']) };
  if ('made' in fields) {
    const token = text(fields['made']);
    const [merchant, orderId, commandId] = [fields['merchant'], fields['orderId'], fields['commandId']].map(text);
    if (entries.has(token)) throw new UnreadableLineError();
    const attempt = number(fields['attempt']);
    entries.set(token, {
      token: { token, merchant: merchant!, orderId: orderId!, commandId: commandId!, attempt },
      made: clocks,
    });
    return;
  }
  const entry = entries.get(text(fields['sent']));
  if (entry === undefined || entry.sent !== undefined) throw new UnreadableLineError();
  entry.sent = clocks;
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new UnreadableLineError();
  return value;
}

function number(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new UnreadableLineError();
  return value;
}
