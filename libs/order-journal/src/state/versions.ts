import { RECORD_KINDS, UnreadableJournalError, type JournalRecord } from './records.js';

/**
 * Version of the fold's rules, in every record: it is judged by them for ever (R9). The release that brings a second version keeps these rules beside
 * the new ones, and lets an installation write this version until every instance reads the new one.
 */
export const RULES_VERSION = 1;

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
export function refuseUnknownVersion(rulesVersion: number | undefined = RULES_VERSION): void {
  if (rulesVersion !== RULES_VERSION)
    throw new UnknownRulesVersionError(
      `A journal record was written under rules version ${String(rulesVersion)}; this release knows ${RULES_VERSION}`,
    );
}

/** @throws UnreadableJournalError for bytes that are no record, for an unknown kind and for an unknown rules version. */
export function decodeRecord(value: Buffer | null): JournalRecord {
  let parsed: Partial<JournalRecord> | null;
  try {
    parsed = JSON.parse((value ?? Buffer.alloc(0)).toString('utf8')) as typeof parsed;
  } catch (cause) {
    throw new UnreadableJournalError('A journal record is not JSON', { cause });
  }
  const { record, rulesVersion } = parsed ?? {};
  if (Number.isInteger(rulesVersion)) refuseUnknownVersion(rulesVersion);
  if (!RECORD_KINDS.includes(record as JournalRecord['record']))
    throw new UnreadableJournalError('A journal record is of an unknown kind');
  if (rulesVersion !== RULES_VERSION)
    throw new UnreadableJournalError(`A journal record has no rules version; this release knows ${RULES_VERSION}`);
  return parsed as JournalRecord;
}
