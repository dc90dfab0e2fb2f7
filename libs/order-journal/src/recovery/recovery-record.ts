import { hash } from 'node:crypto';
import { commandIdTimeMs, parseOrderKey } from '@tranche/contracts';
import { journalPartition } from '../journal/ports.js';
import { encodeRecord, recordHash, type Skipped } from '../state/records.js';
import { inOrder } from '../state/versions.js';

/** The two people who decided, and why. `reason` is kept without a time limit, so it must hold no personal data. */
export interface TwoPeople {
  requestedBy: string;
  approvedBy: string;
  reason: string;
}

/**
 * Journal partitions that go on with the records that are kept. A resume with many commands is written as several records with the same `id`.
 * docs/decisions/0121.
 */
export interface Resumed extends TwoPeople {
  record: 'resumed';
  id: string;
  /** RFC 3339. Commands made before were made before the resume. */
  at: string;
  partitions: number[];
  /** `commandHash` of the commands that the command topics held at the resume and whose ids do not say that they are older. */
  commands: string[];
}

/** An unreadable journal record that every reader takes for one that freezes its order. */
export interface SkippedRecord extends TwoPeople {
  record: 'skipped';
  id: string;
  at: string;
  partition: number;
  offset: string;
  /** Key of the record, `merchant/orderId`: the order that is frozen. Absent where the record has none, or an older release skipped it. */
  orderKey?: string;
  /** `recordHash` of the record. Only a record with this hash is skipped, at any offset. */
  hash: string;
}

/** A record of `payments.decisions.v1` that `tranche journal` writes while no gateway runs. */
export type RecoveryRecord = Resumed | SkippedRecord;

/** Returns undefined for every other record of the topic. */
export function recoveryRecordOf(value: Buffer | null): RecoveryRecord | undefined {
  let read: Partial<Record<string, unknown>> | null;
  try {
    read = JSON.parse(value?.toString('utf8') ?? 'null') as typeof read;
  } catch {
    return undefined;
  }
  const { record, id, at, partitions, commands, hash } = read ?? {};
  const isKnown = typeof id === 'string' && !Number.isNaN(Date.parse(String(at)));
  const isSkip = record === 'skipped' && typeof hash === 'string';
  const isResume = record === 'resumed' && areAll(partitions, Number.isInteger) && areAll(commands, isText);
  return isKnown && (isSkip || isResume) ? (read as unknown as RecoveryRecord) : undefined;
}

const isText = (one: unknown): boolean => typeof one === 'string';
const areAll = (list: unknown, isOne: (one: unknown) => boolean): boolean => Array.isArray(list) && list.every(isOne);

/** The resumes of journal partitions whose records were lost, and their effect on commands (R11, docs/decisions/0121). */
export class ResumeList {
  /** Time of each partition's latest resume. Milliseconds since the epoch. */
  readonly #resumedMs = new Map<number, number>();
  readonly #ids = new Set<string>();
  readonly #runs = new Set<string>();

  /** Number of resumes. Each one starts sequences of events anew, so it raises their epoch by one. */
  get count(): number {
    return this.#runs.size;
  }

  add({ id, at, partitions, commands }: Omit<Resumed, 'record' | 'requestedBy' | 'approvedBy' | 'reason'>): void {
    this.#runs.add(id);
    for (const partition of partitions)
      this.#resumedMs.set(partition, Math.max(Date.parse(at), this.#resumedMs.get(partition) ?? 0));
    for (const command of commands) this.#ids.add(command);
  }

  hasResumed(orderKey: string): boolean {
    return this.#resumedMs.has(journalPartition(orderKey));
  }

  /** True where the command was made before a resume of its partition. If the journal does not know it, it may have been executed. */
  isBefore(orderKey: string, { commandId = '', timeMs = Infinity }: MadeCommand): boolean {
    const resumedMs = this.#resumedMs.get(journalPartition(orderKey));
    if (resumedMs === undefined) return false;
    return (commandIdTimeMs(commandId) ?? timeMs) < resumedMs || this.#ids.has(commandHash(orderKey, commandId));
  }
}

interface MadeCommand {
  commandId?: string;
  /** `ce_time`, milliseconds since the epoch. A repeat may have a new one, but an id of version 7 keeps its time. */
  timeMs?: number;
}

/** Name of a command in `Resumed.commands`: 96 bits in base64url. */
export function commandHash(orderKey: string, commandId: string): string {
  return hash('sha256', `${orderKey}\n${commandId}`, 'base64url').slice(0, 16);
}

type Entry = { key: string | null; value: Buffer | null };

/** Unreadable records that are skipped by a decision of two people (docs/decisions/0121). */
export class SkipList {
  readonly #skipped = new Set<string>();

  /** @param hash `recordHash` of the record: only a record with this hash is skipped, at any offset */
  add(hash: string): void {
    this.#skipped.add(hash);
  }

  /** Returns the entry; in place of a skipped record, returns a record that freezes the order of its key. */
  substitute<T extends Entry>(entry: T): T {
    if (this.#skipped.size === 0) return entry;
    const hash = recordHash(entry.value);
    if (!this.#skipped.has(hash)) return entry;
    const order = parseOrderKey(entry.key ?? '') ?? { merchant: '', orderId: '' };
    const skipped: Skipped = { record: 'SKIPPED', ...inOrder(order, NO_TIME), hash };
    return { ...entry, value: encodeRecord(skipped) };
  }
}

/** The skipped record's time can't be read. */
const NO_TIME = new Date(0).toISOString();

/** Decisions about the journal. Every reader must apply them from the journal's first record on. */
export class JournalRecovery {
  readonly skipped = new SkipList();
  readonly resumes = new ResumeList();
  readonly #skips: SkippedRecord[] = [];

  /** The records that were skipped, in the order of the decisions. */
  get skips(): readonly SkippedRecord[] {
    return this.#skips;
  }

  take(record: RecoveryRecord): void {
    if (record.record === 'resumed') return this.resumes.add(record);
    this.skipped.add(record.hash);
    this.#skips.push(record);
  }
}
