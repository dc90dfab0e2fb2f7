/** What must never happen. */
export const VIOLATION_KINDS = [
  /** The platform executed one operation more than once, or something that the journal never granted. */
  'executedTwice',
  /** A command that Kafka has led to nothing, a call is never closed, or a doubt outlives the word that resolves it. */
  'lost',
  /** An event or the folded state says what the ledger denies. */
  'wrongOutcome',
  /** A command overtook an earlier one of its order, or an event came for the first time behind a later one. */
  'outOfOrder',
  /** notification-ingest answered OK, and the notification did not arrive or was never counted. */
  'notificationsLost',
  /** The ledger breaks a limit of the interface: two live payments, two captures, refunds beyond what remains. */
  'guardBroken',
  /** An event was never published, is not of the journal, or has two contents. */
  'eventsBroken',
] as const;
export type ViolationKind = (typeof VIOLATION_KINDS)[number];

export interface Violation {
  kind: ViolationKind;
  detail: string;
}

export interface Verdict {
  violations: Violation[];
  /** Operations that were in doubt at any time. */
  inDoubt: number;
  /** Of these: in doubt no more. */
  resolved: number;
  /** Of these: the platform never executed them. */
  falseDoubt: number;
  /** Publications of events beyond what the journal asks for. */
  publishedTwice: number;
  operations: number;
}
