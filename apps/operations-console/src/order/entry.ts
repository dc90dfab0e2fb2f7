/** Reads the entries of a timeline: which lane of the picture each is in, and what it says in a few words. */
import type { JournalRecord } from '@tranche/order-journal';
import type { Schema } from '../api/client.js';
import { duration, money, spaced } from '../text/format.js';
import {
  lookUpInWords,
  operationInWords,
  reasonInWords,
  recordInWords,
  sourceInWords,
  timerInWords,
} from '../text/words.js';

export type Timeline = Schema['Timeline'];
export type Entry = Timeline['entries'][number];

export const isOfJournal = ({ topic }: Pick<Entry, 'topic'>): boolean => topic === 'payments.journal.v1';
export const keyOf = ({ topic, partition, offset }: Pick<Entry, 'topic' | 'partition' | 'offset'>): string =>
  `${topic}/${partition}/${offset}`;

/** The record of the journal that an entry shows; its fields are those that a person may see. */
export const recordOf = (entry: Entry): JournalRecord => entry.body as unknown as JournalRecord;
const textOf = ({ body }: Entry, name: string): string | undefined => {
  const value = body[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
};

export const LANES = {
  asked: 'Shop asked',
  sent: 'Sent',
  back: 'Came back',
  reports: 'Reported',
  people: 'People',
  told: 'Shop was told',
  time: 'Deadlines',
} as const;
export type Lane = keyof typeof LANES;

const OF_RECORDS: Partial<Record<JournalRecord['record'], Lane>> = {
  ...{ INTENT: 'sent', REJECTED: 'asked', REPEATED: 'asked', OUTCOME: 'back', NOT_EXECUTED: 'back', IN_DOUBT: 'back' },
  ...{ SETTLED: 'people', SKIPPED: 'people', EVIDENCE: 'reports', LOOKED_UP: 'reports' },
};

export function laneOf(entry: Entry): Lane {
  if (isOfJournal(entry)) {
    const record = recordOf(entry);
    if (record.record === 'EVIDENCE' && record.source === 'operator') return 'people';
    return OF_RECORDS[record.record] ?? 'time';
  }
  if (entry.topic.startsWith('payments.events')) return 'told';
  return entry.topic.includes('audit') ? 'people' : 'asked';
}

export type Tone = 'good' | 'grave' | 'doubt' | 'wait' | 'quiet';
const RESULTS: Readonly<Record<string, Tone>> = {
  ...{ succeeded: 'good', refused: 'grave', in_doubt: 'doubt', pending: 'wait', redirect_required: 'wait' },
  not_executed: 'quiet',
};

export function toneOf(entry: Entry): Tone {
  if (!isOfJournal(entry)) {
    if (/conflict|rejected|refused/.test(entry.kind)) return 'grave';
    return /in_doubt/.test(entry.kind) ? 'doubt' : 'quiet';
  }
  const record = recordOf(entry);
  if (record.record === 'OUTCOME' || record.record === 'EVIDENCE') return RESULTS[record.result] ?? 'quiet';
  if (record.record === 'IN_DOUBT') return 'doubt';
  return record.record === 'REJECTED' || record.record === 'SKIPPED' ? 'grave' : 'quiet';
}

/** Two or three words beside a mark. */
export function labelOf(entry: Entry): string {
  if (!isOfJournal(entry)) return spaced(entry.kind.replace(/^payment\./, '').replaceAll('.', ' '));
  const record = recordOf(entry);
  switch (record.record) {
    case 'INTENT':
      return `call ${record.attempt}`;
    case 'OUTCOME':
      return [spaced(record.result), record.answer.execCode].filter(Boolean).join(' ');
    case 'EVIDENCE':
      return [sourceInWords(record.source), spaced(record.result)].join(': ');
    case 'IN_DOUBT':
      return spaced(record.reason);
    case 'NOT_EXECUTED':
      return `not executed: ${spaced(record.reason)}`;
    case 'REJECTED':
      return record.faults.map(({ code }) => spaced(code)).join(', ');
    case 'REMINDED':
      return timerInWords(record.reminder);
    case 'LOOKED_UP':
      return `asked: ${lookUpInWords(record.result)}`;
    case 'SETTLED':
      return `settled: ${record.outcome}`;
    default:
      return recordInWords(record.record);
  }
}

export const askedOf = ({ operation, amount, currency }: { operation: string; amount?: number; currency: string }) =>
  [operationInWords(operation), amount === undefined ? '' : money(amount, currency)].join(' ').trim();

/** One sentence of an entry, for the list and for who does not see the picture. */
export function sentenceOf(entry: Entry): string {
  if (!isOfJournal(entry)) {
    const who = textOf(entry, 'operator') ?? textOf(entry, 'person') ?? textOf(entry, 'actor');
    if (entry.topic.includes('audit')) return `${who ?? 'Somebody'}: ${spaced(entry.kind).replaceAll('.', ' ')}`;
    if (entry.topic.includes('dead'))
      return `A command was not taken: ${textOf(entry, 'message') ?? spaced(entry.kind)}`;
    return `The shop was told ${entry.kind}`;
  }
  const record = recordOf(entry);
  switch (record.record) {
    case 'INTENT':
      return `Call ${record.attempt} of the ${askedOf(record)} was recorded, then sent`;
    case 'OUTCOME':
      return `The platform answered: ${labelOf(entry)}`;
    case 'IN_DOUBT':
      return `In doubt: ${reasonInWords(record.reason)}`;
    case 'EVIDENCE':
      return record.source === 'operator'
        ? `${record.actor ?? 'A person'} stated: ${spaced(record.result)}${record.approvedBy === undefined ? '' : `, and ${record.approvedBy} agreed`}`
        : `A ${sourceInWords(record.source)} says: ${spaced(record.result)}`;
    case 'LOOKED_UP':
      return `The platform was asked about the operation: ${lookUpInWords(record.result)}`;
    case 'REJECTED':
      return `Refused before anything was sent: ${labelOf(entry)}`;
    default:
      return `${recordInWords(record.record)}: ${labelOf(entry)}`;
  }
}

/** A stretch of time in which the order waited for something. `toMs` is absent where it still waits. */
export interface Span {
  commandId: string;
  tone: 'doubt' | 'wait';
  fromMs: number;
  toMs?: number;
  says: string;
}

/** Says when an operation was in doubt, or waited: until a record changed its phase. */
export function spansOf(entries: readonly Entry[]): Span[] {
  const open = new Map<string, Span>();
  const spans: Span[] = [];
  for (const entry of entries.filter(isOfJournal)) {
    const record = recordOf(entry);
    const atMs = Date.parse(entry.at);
    for (const [commandId, span] of open) {
      if (!(entry.changed ?? []).includes(`operations.${commandId}.phase`)) continue;
      span.toMs = atMs;
      open.delete(commandId);
    }
    const begun = waitsFor(record);
    if (begun === undefined || !('commandId' in record) || record.commandId === undefined) continue;
    const span: Span = { commandId: record.commandId, fromMs: atMs, ...begun };
    open.set(record.commandId, span);
    spans.push(span);
  }
  return spans;
}

function waitsFor(record: JournalRecord): Pick<Span, 'tone' | 'says'> | undefined {
  if (record.record === 'IN_DOUBT') return { tone: 'doubt', says: 'in doubt' };
  if (record.record !== 'OUTCOME' && record.record !== 'EVIDENCE') return undefined;
  if (record.result === 'pending') return { tone: 'wait', says: 'waits for the provider' };
  return record.result === 'redirect_required' ? { tone: 'wait', says: 'waits for the cardholder' } : undefined;
}

export const spanInWords = ({ says, fromMs, toMs }: Span, nowMs: number): string =>
  `${says} ${duration((toMs ?? nowMs) - fromMs)}`;
