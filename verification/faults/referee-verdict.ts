export const VIOLATION_KINDS = [
  /** The platform executed one operation more than once, or something that the journal never granted. */
  'executedTwice',
  /** A command in Kafka has no operation, a call is never closed, or a doubt stays although a report resolved it. */
  'lost',
  /** An event or the folded state contradicts the ledger. */
  'wrongOutcome',
  /** A command overtook an earlier one of its order, or an event was first published after a later one. */
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
  inDoubt: number;
  resolved: number;
  /** Operations in doubt that the platform never executed. */
  falseDoubt: number;
  /** Publications of events beyond those that the journal requires. */
  publishedTwice: number;
  operations: number;
}
