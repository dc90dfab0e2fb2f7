import type { OperationState } from './order-state.js';
import { LOOK_UP_REMINDERS, type LookUpReminder } from './records.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** "0003: no update, 6 days elapse: expired, considered failed" (interface, States and transitions). The fold checks it: another value is a new rule of the fold. */
export const PENDING_LIFETIME_MS = 6 * DAY_MS;
/** The interface ends no redirect. Its form can not be used for longer than an authorization can be captured (R15). */
export const REDIRECT_LIFETIME_MS = 7 * DAY_MS;
/** An operator may end what waits from then on, or once the platform has said "not executed" of it (R15). */
const OPERATOR_AFTER_MS = DAY_MS;

/** When a payment that waits is looked up, after it began to wait. */
export const LOOK_UP_AFTER_MS: Readonly<Record<Exclude<LookUpReminder, 'look_up_not_executed'>, number>> = {
  look_up_15_minutes: HOUR_MS / 4,
  look_up_1_hour: HOUR_MS,
  look_up_6_hours: 6 * HOUR_MS,
  look_up_24_hours: 24 * HOUR_MS,
};

/** For its cardholder, or for an approval. */
export const isWaiting = ({ phase }: Pick<OperationState, 'phase'>): boolean =>
  phase === 'redirect' || phase === 'pending';

/** After so long without news our timer ends it; undefined where it ends nothing. */
export function lifetimeMs({ phase }: Pick<OperationState, 'phase'>): number | undefined {
  if (phase === 'redirect') return REDIRECT_LIFETIME_MS;
  // The interface names no end of a pending card payment (docs/decisions/0005): it ends like an authorization.
  return phase === 'pending' ? PENDING_LIFETIME_MS : undefined;
}

/** The interface itself calls a pending authorization of method B failed after six days; of all else only we know that nobody came. */
export const isEndedByInterface = ({ phase, operation, method }: OperationState): boolean =>
  phase === 'pending' && operation === 'authorize' && method === 'B';

/** May still take money though nobody works on it, and gives way to an authorization that names it. */
export const isLeftBehind = ({ phase, mayYetSucceed }: OperationState): boolean =>
  phase === 'redirect' || mayYetSucceed === true;

/** From when on an operator's resolution of what waits counts, milliseconds since the epoch. */
export function operatorFromMs({ since = '', saidNotExecutedAt }: OperationState): number {
  return saidNotExecutedAt === undefined ? Date.parse(since) + OPERATOR_AFTER_MS : Date.parse(saidNotExecutedAt);
}

/** Look-ups that this one makes needless: those that were due before it. */
export const lookUpsUntil = (reminder: LookUpReminder): readonly LookUpReminder[] =>
  reminder === 'look_up_not_executed'
    ? [reminder]
    : LOOK_UP_REMINDERS.slice(0, LOOK_UP_REMINDERS.indexOf(reminder) + 1);
