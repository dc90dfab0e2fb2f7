import type { JournalRecord, SnapshotState } from './records.js';

type RecordOf<Kind extends JournalRecord['record']> = Extract<JournalRecord, { record: Kind }>;
type OptionalFields<T> = { [Field in keyof T]-?: object extends Pick<T, Field> ? Field : never }[keyof T];
type FieldsOf<T> = T extends unknown ? keyof T : never;
type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isFlag: Check = (value) => typeof value === 'boolean';
const isNumber: Check = (value) => Number.isFinite(value);
const isTime: Check = (value) => isText(value) && !Number.isNaN(Date.parse(value as string));
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf =
  (isOne: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(isOne);

interface FieldCheck {
  name: string;
  isValid: Check;
}

/** Made once: each record is checked whenever it is read. */
const checksOf = (fields: readonly string[], checks: object, optional: object): FieldCheck[] =>
  fields.map((name) => {
    const isOne = (checks as Record<string, Check>)[name]!;
    return { name, isValid: name in optional ? (value) => value === undefined || isOne(value) : isOne };
  });

function wrongFieldIn(value: object, checks: readonly FieldCheck[]): string | undefined {
  for (const { name, isValid } of checks) if (!isValid((value as Record<string, unknown>)[name])) return name;
  return undefined;
}

const isOperation: Check = (value) =>
  isObject(value) &&
  [value.commandId, value.operation, value.method, value.contentHash, value.phase].every(isText) &&
  isNumber(value.attempt) &&
  listOf(isObject)(value.attempts) &&
  [value.since, value.firstIntentAt, value.endedAt].every((time) => time === undefined || isTime(time));

/** The parts of a snapshot that the fold walks through. */
const STATE: { readonly [Field in keyof SnapshotState]-?: Check } = {
  operations: listOf(isOperation),
  verdicts: listOf((one) => listOf(isText)(one) && (one as unknown[]).length === 2),
  unmatchedEvidence: listOf((one) => isObject(one) && isObject(one.answer)),
  external: listOf(isObject),
  unauthorizedOutcomes: listOf(isObject),
  settled: listOf(isText),
  repairs: listOf(isObject),
  rulesVersion: isNumber,
  movedAt: isTime,
  isPartial: isFlag,
  isFrozen: isFlag,
};
const OPTIONAL_STATE: Record<OptionalFields<SnapshotState>, true> = {
  unauthorizedOutcomes: true,
  settled: true,
  repairs: true,
  rulesVersion: true,
  movedAt: true,
  isPartial: true,
  isFrozen: true,
};

const STATE_CHECKS = checksOf(Object.keys(STATE), STATE, OPTIONAL_STATE);

/** A field holds the same in every kind of record. A field without a row does not compile. */
const FIELDS: { readonly [Field in FieldsOf<JournalRecord>]-?: Check } = {
  record: isText,
  rulesVersion: isNumber,
  merchant: isText,
  orderId: isText,
  at: isTime,
  commandId: isText,
  attempt: isNumber,
  token: isText,
  seen: isText,
  hash: isText,
  message: isText,
  code: isText,
  operation: isText,
  operationType: isText,
  method: isText,
  currency: isText,
  amount: isNumber,
  transactionId: isText,
  supersedes: isText,
  contentHash: isText,
  correlationId: isText,
  mayLookUp: isFlag,
  supersedesDoubt: isFlag,
  partial: isFlag,
  mayBeDone: isFlag,
  result: isText,
  reason: isText,
  execCode: isText,
  answer: isObject,
  retryAfterSeconds: isNumber,
  source: isText,
  actor: isText,
  approvedBy: isText,
  proposal: isText,
  notBefore: isTime,
  extraData: isText,
  externalEntityId: isText,
  externalReference: isText,
  flags: listOf(isText),
  language: isText,
  conflict: isText,
  outcome: isText,
  reference: isText,
  languageOf: listOf(isText),
  maskedCard: isText,
  cardBrand: isText,
  cardCountry: isText,
  executedAt: isTime,
  selectedBrand: isText,
  faults: listOf(isObject),
  reminder: isText,
  captureReminderHours: isNumber,
  // The fold voids a tombstone that does not say how long its order is kept.
  refundableDays: () => true,
  tag: (value) => isText(value) || (isObject(value) && isText(value.operation) && isNumber(value.attempt)),
  state: (value) => isObject(value) && wrongFieldIn(value, STATE_CHECKS) === undefined,
};

const TERMS = { amount: true, transactionId: true, supersedes: true, correlationId: true } as const;

/** Fields that a record of its kind may lack. An optional field without a row does not compile. */
const OPTIONAL: { readonly [Kind in JournalRecord['record']]: Record<OptionalFields<RecordOf<Kind>>, true> } = {
  INTENT: { ...TERMS, tag: true, seen: true, mayLookUp: true, supersedesDoubt: true, captureReminderHours: true },
  NOT_EXECUTED: { execCode: true },
  OUTCOME: { partial: true, flags: true },
  IN_DOUBT: { execCode: true },
  EVIDENCE: {
    commandId: true,
    attempt: true,
    operation: true,
    operationType: true,
    partial: true,
    mayBeDone: true,
    seen: true,
    tag: true,
    currency: true,
    language: true,
    languageOf: true,
    maskedCard: true,
    cardBrand: true,
    selectedBrand: true,
    cardCountry: true,
    executedAt: true,
    actor: true,
    reason: true,
    approvedBy: true,
    proposal: true,
    notBefore: true,
    extraData: true,
    externalEntityId: true,
    externalReference: true,
    flags: true,
  },
  SETTLED: { result: true, transactionId: true, amount: true, reference: true, proposal: true },
  REJECTED: { ...TERMS, seen: true },
  GIVEN_UP: { retryAfterSeconds: true },
  EXPIRED: {},
  REMINDED: {},
  LOOKED_UP: {},
  REPEATED: {},
  TOMBSTONE: {},
  SNAPSHOT: {},
  SKIPPED: {},
};

/**
 * Names a field that a record of this kind lacks, or that holds something else than every release writes there. The fold would make a state of it
 * that the index does not take, or throw.
 * @param fields names of all fields of the kind
 */
export function wrongFieldOf(
  kind: JournalRecord['record'],
  fields: readonly string[],
): (record: JournalRecord) => string | undefined {
  const checks = checksOf(fields, FIELDS, OPTIONAL[kind]);
  return (record) => wrongFieldIn(record, checks);
}
