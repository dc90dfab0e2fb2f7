import type { OrderState } from './order-state.js';

/**
 * Versions of the fold's rules, oldest first. A record states the one that it was written under. Every release reads every version that was
 * ever written, and judges by it as was judged then (R9); a reader that does not know a version stops the partition (R2).
 */
export const RULES_VERSIONS = [1, 2, 3, 4, 5, 6] as const;
export type RulesVersion = (typeof RULES_VERSIONS)[number];

/** What new installations write. */
export const NEWEST_RULES_VERSION = 6 satisfies RulesVersion;

/** The version that brought a rule. Rules without a row are of version 1. */
const RULES_SINCE = {
  /** An OUTCOME whose token was never granted is a conflict, and counts as "may have succeeded". */
  ungrantedOutcomes: 2,
  /** A refund or capture that names a known operation which can't be refunded or captured is rejected. */
  knownReferences: 2,
  /** A success with another amount than asked for is a conflict; guards count on the amount that is safe. */
  otherAmounts: 2,
  /** What a record rests on is named by the order's history instead of an offset; event ids are made of the record's hash. */
  history: 3,
  /** FORGOTTEN is void before an order's time has come, and while it waits for a cardholder; CARRIED leaves the time of its last transition alone. */
  keptWhileRefundable: 3,
  /** Redirects and pending payments end: by an operator after a day, by timers, which leave a payment live where only they ended it (R15). */
  waitingEnds: 4,
  /** A doubtful authorization becomes a redirect by a look-up, and gives way to one that names it with its merchant's permission. */
  doubtfulForms: 4,
  /** The count of an order's history goes on over CARRIED; a CARRIED or FORGOTTEN that names fewer records than there are is void. */
  countedHistory: 5,
  /** A payment that only our timer ended keeps its order, as one that may be refunded does. */
  liveIsKept: 6,
  /** The time of an order's first record is part of its state. */
  beginningIsKept: 6,
  /** Of attempts that were never sent only the newest are kept. */
  newestAttempts: 6,
} as const satisfies Record<string, RulesVersion>;

export const isRulesVersion = (version: unknown): version is RulesVersion =>
  (RULES_VERSIONS as readonly unknown[]).includes(version);

/** Whether a rule holds for what is folded into this order now. */
export const hasRule = (
  { rulesVersion = RULES_VERSIONS[0] }: Pick<OrderState, 'rulesVersion'>,
  rule: keyof typeof RULES_SINCE,
): boolean => rulesVersion >= RULES_SINCE[rule];
