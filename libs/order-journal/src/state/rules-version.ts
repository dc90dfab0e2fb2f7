import type { OrderState } from './order-state.js';

/**
 * Versions of the fold's rules, oldest first, and the version that brought each rule; rules of version 1 have no row. A record states the version
 * that it was written under. Every release reads every version that was ever written, and judges by it as was judged then (R9); a reader that does
 * not know a version stops the partition (R2). Tests put a version of their own beside these.
 */
export const RULES: { versions: readonly RulesVersion[]; since: Readonly<Record<string, RulesVersion>> } = {
  versions: [1],
  since: {},
};
export type RulesVersion = number;

/** What a record is made with. `JournalView` writes it under the version of its installation (`RULES_VERSION` of payment-gateway). */
export const RULES_VERSION: RulesVersion = 1;

/** What new installations write. */
export const NEWEST_RULES_VERSION: RulesVersion = 1;

export const isRulesVersion = (version: unknown): version is RulesVersion =>
  (RULES.versions as readonly unknown[]).includes(version);

/** Whether a rule holds for what is folded into this order now. */
export const hasRule = ({ rulesVersion = RULES_VERSION }: Pick<OrderState, 'rulesVersion'>, rule: string): boolean =>
  rulesVersion >= (RULES.since[rule] ?? RULES_VERSION);
