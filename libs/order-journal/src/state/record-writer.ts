import type { JournalRecord } from './records.js';
import type { RulesVersion } from './rules-version.js';

type RecordOf<Kind extends JournalRecord['record']> = Extract<JournalRecord, { record: Kind }>;

/** Of one kind of record: the version from which it may be written, and the one of each of its fields. A field without a row does not compile. */
type WrittenSince<Kind extends JournalRecord['record']> = Record<
  keyof Omit<RecordOf<Kind>, 'rulesVersion'>,
  RulesVersion
>;

const inOrder = { merchant: 1, orderId: 1, at: 1 } as const;
const ofOperation = { ...inOrder, commandId: 1, attempt: 1 } as const;
const terms = {
  operation: 1,
  method: 1,
  currency: 1,
  amount: 1,
  transactionId: 1,
  supersedes: 1,
  contentHash: 1,
  correlationId: 1,
} as const;

/**
 * What older releases can read: the version from which each kind of record (under `record`) and each field may be written. A release that reads
 * a new kind or field is everywhere before one writes it, as with rules.
 */
export const WRITTEN_SINCE: { readonly [Kind in JournalRecord['record']]: WrittenSince<Kind> } = {
  INTENT: { record: 1, ...ofOperation, ...terms, token: 1, tag: 1, seen: 1, mayLookUp: 4, supersedesDoubt: 4 },
  NOT_EXECUTED: { record: 1, ...ofOperation, token: 1, reason: 1, message: 1, execCode: 1 },
  OUTCOME: { record: 1, ...ofOperation, token: 1, result: 1, partial: 1, answer: 1 },
  IN_DOUBT: { record: 1, ...ofOperation, token: 1, reason: 1, message: 1, execCode: 1 },
  EVIDENCE: {
    ...{
      record: 1,
      ...ofOperation,
      source: 1,
      operation: 1,
      operationType: 1,
      result: 1,
      partial: 1,
      mayBeDone: 1,
      answer: 1,
      tag: 1,
    },
    ...{ currency: 4, language: 4, languageOf: 4, maskedCard: 4, cardBrand: 4, cardCountry: 4, executedAt: 4 },
    ...{
      actor: 1,
      reason: 1,
      approvedBy: 1,
      proposal: 1,
      notBefore: 1,
      extraData: 1,
      externalEntityId: 1,
      externalReference: 1,
      flags: 1,
    },
  },
  REJECTED: { record: 1, ...ofOperation, ...terms, faults: 1, seen: 1 },
  GIVEN_UP: { record: 1, ...ofOperation, code: 1, message: 1, retryAfterSeconds: 1 },
  EXPIRED: { record: 1, ...ofOperation },
  REMINDED: { record: 1, ...ofOperation, reminder: 1 },
  REPEATED: { record: 1, ...inOrder, commandId: 1 },
  FORGOTTEN: { record: 1, ...inOrder, lastOffset: 1, seen: 3, refundableDays: 3 },
  CARRIED: { record: 3, ...inOrder, seen: 3, state: 3 },
  SKIPPED: { record: 4, ...inOrder, hash: 4 },
};

type Table = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** A record of a kind that the version of this installation does not have yet. */
export class NotWrittenYetError extends Error {
  override name = 'NotWrittenYetError';
}

/** Whether records of this kind may be written under this version: to be asked before such a record is made. */
export const mayWrite = (kind: string, version: number, since: Table = WRITTEN_SINCE): boolean =>
  (since[kind]?.record ?? Infinity) <= version;

/**
 * Writes records under the version of this installation: of a record that may be written, fields of later versions are left out.
 * What it returns throws NotWrittenYetError for a kind of a later version.
 */
export function recordWriter(
  version: RulesVersion,
  since: Table = WRITTEN_SINCE,
): <Record extends JournalRecord>(record: Record) => Record {
  const later = new Map(
    Object.entries(since).map(
      ([kind, fields]) => [kind, Object.keys(fields).filter((name) => fields[name]! > version)] as const,
    ),
  );
  return (record) => {
    if (!mayWrite(record.record, version, since))
      throw new NotWrittenYetError(`${record.record} is not written under rules version ${version}`);
    const written = { ...record, rulesVersion: version };
    for (const name of later.get(record.record) ?? []) Reflect.deleteProperty(written, name);
    return written;
  };
}
