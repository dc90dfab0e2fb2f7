export const VIOLATIONS = [
  /** The platform executed one operation more than once. */
  'executedTwice',
  /** An accepted command or an acknowledged notification had no effect, or the world never came to rest. */
  'lost',
  /** A reported result contradicts the ledger. */
  'wrongOutcome',
  /** A command overtook an earlier one of its key. */
  'outOfOrder',
  /** A limit of the interface is broken in the ledger: two live payments, two captures, refunds beyond what remains. */
  'guardBroken',
  /** An event is missing, changed its content, or was first published after a later one of its order. */
  'eventsBroken',
  /** A commit declares a record finished that is not. */
  'frontierPassed',
  /** A member committed a partition that it no longer holds: it ignored its epoch. */
  'foreignCommit',
  /** A state went back: a repeated attempt, a reopened doubt, or an end that became another one. */
  'wentBack',
  /** At rest, the index differs from the journal. */
  'indexWrong',
  /** A command was taken, or an age judged, by a clock that was known to be wrong by days. */
  'wrongClock',
  /**
   * A gateway continued with a journal partition that had lost records it knew of, or sent a command that those records may have executed.
   */
  'continuedAfterLoss',
  /** Partitions moved in order, and yet an event was published twice, or an operation is in doubt. */
  'notDrained',
  /** Product code threw an unexpected error. */
  'threw',
] as const;

export type ViolationKind = (typeof VIOLATIONS)[number];

export interface Violation {
  kind: ViolationKind;
  detail: string;
  atMs: number;
}

/** An error of the program itself. No fault of the world causes it. */
export const isBug = (error: unknown): boolean =>
  error instanceof TypeError ||
  error instanceof ReferenceError ||
  error instanceof RangeError ||
  error instanceof SyntaxError;
