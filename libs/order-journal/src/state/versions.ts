import { wrongFieldOf } from './record-shape.js';
import { RECORD_KINDS, UnreadableJournalError, type JournalRecord } from './records.js';
import type { OrderState, RulesVersion } from './order-state.js';

/** A record is made with this version. `OwnedJournal` writes it under the version of its installation (`RULES_VERSION` of payment-gateway). */
export const RULES_VERSION: RulesVersion = 1;

/** New installations write this version. */
export const NEWEST_RULES_VERSION: RulesVersion = 2;

/**
 * Versions of the fold's rules, oldest first, and the version that brought each rule; rules of version 1 have no row. A record states the version
 * that it was written under. Every release reads every version that was ever written, and judges by it as was judged then (R9); a reader that does
 * not know a version stops the partition (R2). Tests put a version of their own beside these.
 */
const SINCE = {
  // A person's EVIDENCE that names what the person saw is void once its order has moved on.
  evidenceRestsOnState: 2,
  // An order keeps its newest verdicts, and at most so many reports of what no command asked for (`VERDICTS_KEPT`, `REPORTS_KEPT`).
  listsAreBounded: 2,
  // A report without a name is told at once: as ours by counting successes without a TRANSACTIONID, else as made elsewhere.
  reportsAreTold: 2,
  // A capture of a payment of which no success was heard is sent; its success proves the payment's.
  captureOfWaiting: 2,
  // A payment that succeeds after the void of its form is a conflict, and can be captured.
  paidAfterVoid: 2,
  // EXTRADATA and LANGUAGE that come behind the answer are published.
  returnedFieldsAdded: 2,
  // `expired` says if the payment may yet succeed.
  expiryTold: 2,
  // A success says that an AMOUNT that was reported of it can not be read.
  unreadableAmountTold: 2,
  // A report of an attempt whose INTENT the journal has lost waits for the one that a resume writes.
  reportsOfLostAttemptsWait: 2,
  // A call whose INTENT the journal has lost, and whose answer or doubt it has, is not made once more: its command takes what is known of it.
  callsOfLostIntentsCount: 2,
} satisfies Record<string, RulesVersion>;
export type Rule = keyof typeof SINCE;

export const RULES: { versions: readonly RulesVersion[]; since: Readonly<Record<Rule, RulesVersion>> } = {
  versions: [RULES_VERSION, 2],
  since: SINCE,
};

const isRulesVersion = (version: unknown): version is RulesVersion =>
  (RULES.versions as readonly unknown[]).includes(version);

/** The rule holds for the records that are folded into this order now. */
export const hasRule = ({ rulesVersion = RULES_VERSION }: Pick<OrderState, 'rulesVersion'>, rule: Rule): boolean =>
  rulesVersion >= RULES.since[rule];

/**
 * The version that a record is judged by: the highest one in its order so far, itself included. An older writer takes no rule back (R9).
 * @throws UnknownRulesVersionError where the record's or the order's version is unknown
 */
export function versionFor({ rulesVersion = RULES_VERSION }: OrderState, record: JournalRecord): RulesVersion {
  refuseUnknownVersion(record.rulesVersion);
  const version = Math.max(rulesVersion, record.rulesVersion);
  refuseUnknownVersion(version);
  return version;
}

/** The fields that every record of an order has. `at`: its writer's time, RFC 3339. */
export const inOrder = (
  { merchant, orderId }: { merchant: string; orderId: string },
  at: string,
): Pick<JournalRecord, 'rulesVersion' | 'merchant' | 'orderId' | 'at'> => ({
  rulesVersion: RULES_VERSION,
  merchant,
  orderId,
  at,
});

/** It was written by a newer release, which can read it: never to be skipped. */
export class UnknownRulesVersionError extends UnreadableJournalError {
  override name = 'UnknownRulesVersionError';
}

/** @throws UnknownRulesVersionError */
function refuseUnknownVersion(rulesVersion: unknown): asserts rulesVersion is RulesVersion {
  if (isRulesVersion(rulesVersion)) return;
  throw new UnknownRulesVersionError(
    `A journal record was written under rules version ${String(rulesVersion)}; this release knows ${RULES.versions.join(', ')}`,
  );
}

/** @throws UnreadableJournalError for bytes that are no record, an unknown kind, an unknown rules version, a missing field or a value of another type. */
export function decodeRecord(value: Buffer | null): JournalRecord {
  let parsed: unknown;
  try {
    parsed = JSON.parse((value ?? Buffer.alloc(0)).toString('utf8'));
  } catch (cause) {
    throw new UnreadableJournalError('A journal record is not JSON', { cause });
  }
  const { record, rulesVersion } = (parsed ?? {}) as Partial<JournalRecord>;
  // First, because a newer release may have kinds that this one does not know: the record is its, and is never to be skipped.
  if (Number.isInteger(rulesVersion)) refuseUnknownVersion(rulesVersion);
  if (!RECORD_KINDS.includes(record as JournalRecord['record']))
    throw new UnreadableJournalError('A journal record is of an unknown kind');
  if (!Number.isInteger(rulesVersion))
    throw new UnreadableJournalError(
      `A journal record has no rules version; this release knows ${RULES.versions.join(', ')}`,
    );
  const wrong = WRONG_FIELD_OF[record as JournalRecord['record']](parsed as JournalRecord);
  if (wrong !== undefined) throw new UnreadableJournalError(`A journal record has no valid ${wrong}`);
  return parsed as JournalRecord;
}

type RecordOf<Kind extends JournalRecord['record']> = Extract<JournalRecord, { record: Kind }>;

/** The version from which a kind of record may be written, and the one of each of its fields. A field without a row does not compile. */
type WrittenSince<Kind extends JournalRecord['record']> = Record<
  keyof Omit<RecordOf<Kind>, 'rulesVersion'>,
  RulesVersion
>;

const fieldsInOrder = { merchant: 1, orderId: 1, at: 1 } as const;
const ofOperation = { ...fieldsInOrder, commandId: 1, attempt: 1 } as const;
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
 * The version from which each kind of record (under `record`) and each field may be written, for older releases must be able to read it. A release that reads
 * a new kind or field is everywhere before one writes it, as with rules.
 */
export const WRITTEN_SINCE: { readonly [Kind in JournalRecord['record']]: WrittenSince<Kind> } = {
  INTENT: {
    record: 1,
    ...ofOperation,
    ...terms,
    token: 1,
    tag: 1,
    seen: 1,
    mayLookUp: 1,
    supersedesDoubt: 1,
    captureReminderHours: 2,
  },
  NOT_EXECUTED: { record: 1, ...ofOperation, token: 1, reason: 1, message: 1, execCode: 1 },
  OUTCOME: { record: 1, ...ofOperation, token: 1, result: 1, partial: 1, answer: 1, flags: 2 },
  IN_DOUBT: { record: 1, ...ofOperation, token: 1, reason: 1, message: 1, execCode: 1 },
  EVIDENCE: {
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
    currency: 1,
    language: 1,
    languageOf: 1,
    maskedCard: 1,
    cardBrand: 1,
    cardCountry: 1,
    executedAt: 1,
    selectedBrand: 2,
    actor: 1,
    reason: 1,
    approvedBy: 1,
    proposal: 1,
    notBefore: 1,
    extraData: 1,
    externalEntityId: 1,
    externalReference: 1,
    flags: 1,
    seen: 2,
  },
  SETTLED: {
    record: 2,
    ...fieldsInOrder,
    conflict: 2,
    outcome: 2,
    result: 2,
    transactionId: 2,
    amount: 2,
    reference: 2,
    actor: 2,
    reason: 2,
    approvedBy: 2,
    proposal: 2,
    seen: 2,
  },
  REJECTED: { record: 1, ...ofOperation, ...terms, faults: 1, seen: 1 },
  GIVEN_UP: { record: 1, ...ofOperation, code: 1, message: 1, retryAfterSeconds: 1 },
  EXPIRED: { record: 1, ...ofOperation },
  REMINDED: { record: 1, ...ofOperation, reminder: 1 },
  LOOKED_UP: { record: 2, merchant: 2, orderId: 2, at: 2, commandId: 2, attempt: 2, result: 2 },
  REPEATED: { record: 1, ...fieldsInOrder, commandId: 1 },
  TOMBSTONE: { record: 1, ...fieldsInOrder, seen: 1, refundableDays: 1 },
  SNAPSHOT: { record: 1, ...fieldsInOrder, seen: 1, state: 1 },
  SKIPPED: { record: 1, ...fieldsInOrder, hash: 1 },
};

const WRONG_FIELD_OF = Object.fromEntries(
  RECORD_KINDS.map((kind) => [kind, wrongFieldOf(kind, Object.keys(WRITTEN_SINCE[kind]))] as const),
) as Record<JournalRecord['record'], ReturnType<typeof wrongFieldOf>>;

type Table = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** A record of a kind that the version of this installation does not have yet. */
export class NotWrittenYetError extends Error {
  override name = 'NotWrittenYetError';
}

/** Records of this kind may be written under this version. Call it before such a record is made. */
export const mayWrite = (kind: string, version: number, since: Table = WRITTEN_SINCE): boolean =>
  (since[kind]?.record ?? Infinity) <= version;

/**
 * Writes records under the version of this installation: of a record that may be written, fields of later versions are left out.
 * The returned writer throws NotWrittenYetError for a kind of a later version.
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
