import { ResumeList } from './resume-list.js';
import { SkipList } from './skip-list.js';

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
  /** UUID of the resume. */
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

/** Decisions about the journal. Every reader must apply them from the journal's first record on. */
export class JournalRecovery {
  readonly skipped = new SkipList();
  readonly resumes = new ResumeList();

  take(record: RecoveryRecord): void {
    if (record.record === 'skipped') this.skipped.add(record.hash);
    else this.resumes.add(record);
  }
}
