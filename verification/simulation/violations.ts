/** What must never happen, in the order of the summary. */
export const VIOLATIONS = [
  /** The platform executed one operation more than once. */
  'executedTwice',
  /** An accepted command or an acknowledged notification led to nothing, or the world never came to rest. */
  'lost',
  /** What was reported is not what the ledger shows. */
  'wrongOutcome',
  /** A command overtook an earlier one of its key. */
  'outOfOrder',
  /** A limit of the interface is broken in the ledger: two live payments, two captures, refunds beyond what remains. */
  'guardBroken',
  /** An event is missing, changed its content, or came for the first time behind a later one of its order. */
  'eventsBroken',
  /** A commit says that something is finished which is not. */
  'frontierPassed',
  /** A commit of a partition that its member did not hold any more: an epoch was forgotten. */
  'foreignCommit',
  /** A state went back: an attempt again, a doubt reopened, an end that became another end. */
  'wentBack',
  /** At rest, the index does not hold what the journal says. */
  'indexWrong',
  /** A sent ledger said that a call was never sent, and the platform executed it. */
  'concludedExecuted',
  /** A command was taken, or an age judged, by a clock that was wrong by days and had to be known to be. */
  'wrongClock',
  /** A gateway worked on with a journal partition that had lost records it knew of, or sent what they may have been about. */
  'wentOn',
  /** A part of ours threw where it must not. */
  'threw',
] as const;

export type ViolationKind = (typeof VIOLATIONS)[number];

export interface Violation {
  kind: ViolationKind;
  detail: string;
  /** Virtual time. */
  atMs: number;
}
