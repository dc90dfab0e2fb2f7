/** Says codes of the journal, the gateway and the queue in words of people. */
import type { JournalRecord, LookedUp } from '@tranche/order-journal';
import { count, spaced } from './format.js';

type Words = Readonly<Record<string, string>>;
const said = (words: Words, code: string | undefined): string =>
  code === undefined ? '' : (words[code] ?? spaced(code));

const KINDS: Words = {
  doubt: 'In doubt',
  conflict: 'Conflict',
  candidates: 'Assumed',
  open_to_operator: 'Waits',
  frozen: 'Frozen',
  proposal: 'Approval',
  rail: 'Rail stopped',
  partition: 'Partition stopped',
  control: 'Stop switch',
  dead_letters: 'Dead letters',
  quarantine: 'Quarantine',
};
export const kindInWords = (kind: string): string => said(KINDS, kind);

/** The commands and payments that an entry of the queue keeps from going on. */
export function blocksOf(kind: string, commands = 0): string {
  if (kind === 'doubt' || kind === 'frozen') return 'every command of the order';
  if (kind === 'rail') return commands > 0 ? count(commands, 'command') : 'its commands';
  if (kind === 'control') return 'its new commands';
  if (kind === 'partition') return 'what is read of it';
  return kind === 'open_to_operator' ? 'a second payment' : 'nothing';
}

/** Colours say how grave it is; the words beside them say the same. */
export const toneOf = (kind: string): 'grave' | 'doubt' | 'wait' | 'quiet' => {
  if (['conflict', 'frozen', 'rail', 'partition'].includes(kind)) return 'grave';
  if (kind === 'doubt') return 'doubt';
  return ['candidates', 'open_to_operator', 'proposal', 'control'].includes(kind) ? 'wait' : 'quiet';
};

const REASONS: Words = {
  timeout: 'no answer came in time',
  connection_lost: 'the connection broke before the answer',
  http_status: 'the answer was an HTTP error',
  unreadable_answer: 'the answer can not be read',
  wrong_operation_type: 'the answer was about another operation',
  platform_in_doubt: 'the platform itself is in doubt (5004)',
  unknown_execcode: 'the answer has a code that no table has',
  owner_lost: 'the instance that was to call fell silent',
  success_reported: 'a success was reported that may be ours',
  two_payments_succeeded: 'the customer paid twice',
  paid_after_void: 'it was paid after its void',
  never_granted: 'a call was made that the journal never allowed',
  other_amount: 'reports name different amounts',
  other_currency: 'a report names another currency',
  other_result: 'reports tell different results',
  transaction_assumed: 'a report was taken for its own, and none named it',
};
export const reasonInWords = (reason: string | undefined): string => said(REASONS, reason);

/** Timers, as what will be done. */
const TIMERS: Words = {
  expiry: 'it expires',
  give_up: 'it is given up',
  capture_window: 'the shop is reminded to capture',
  doubt_15_minutes: 'the shop is reminded',
  doubt_24_hours: 'the shop is reminded again',
  look_up_15_minutes: 'the platform is asked',
  look_up_1_hour: 'the platform is asked',
  look_up_6_hours: 'the platform is asked',
  look_up_24_hours: 'the platform is asked a last time',
  look_up_not_executed: 'the platform is asked if it really was not executed',
};
export const timerInWords = (timer: string): string => said(TIMERS, timer);
/** A look-up or an end can end it without a person; a reminder can not. */
export const canEndIt = (timer: string): boolean =>
  timer.startsWith('look_up') || timer === 'expiry' || timer === 'give_up';

const OPERATIONS: Words = {
  authorize: 'authorization',
  pay: 'payment',
  capture: 'capture',
  refund: 'refund',
  void: 'void',
};
export const operationInWords = (operation: string | undefined): string => said(OPERATIONS, operation) || 'operation';

const RECORDS = {
  INTENT: 'Asked to send',
  OUTCOME: 'Answer',
  NOT_EXECUTED: 'Not executed',
  IN_DOUBT: 'In doubt',
  EVIDENCE: 'Report',
  SETTLED: 'Settled',
  REJECTED: 'Refused by a rule',
  GIVEN_UP: 'Given up',
  EXPIRED: 'Expired',
  REMINDED: 'Reminder',
  LOOKED_UP: 'Platform was asked',
  REPEATED: 'Command came again',
  TOMBSTONE: 'Removed from the index',
  SNAPSHOT: 'Snapshot',
  SKIPPED: 'Skipped',
} satisfies Record<JournalRecord['record'], string>;
export const recordInWords = (kind: string): string => said(RECORDS, kind);

const LOOK_UPS = {
  evidence: 'its list has the operation',
  nothing: 'its list does not have the operation',
  refused: 'it refused',
  unauthorized: 'it did not accept our token',
  failed: 'no answer',
} satisfies Record<LookedUp['result'], string>;
export const lookUpInWords = (result: LookedUp['result']): string => said(LOOK_UPS, result);

const SOURCES: Words = { notification: 'notification', 'look-up': 'look-up', operator: 'person', answer: 'answer' };
export const sourceInWords = (source: unknown): string =>
  said(SOURCES, typeof source === 'string' ? source : undefined);

const OUTCOMES: Words = {
  succeeded: 'the platform did it',
  refused: 'the platform did not do it, and says why',
  not_executed: 'the platform has nothing of it, and can not have it any more',
  redirect_required: 'the cardholder must still act',
};
export const outcomeInWords = (outcome: string): string => said(OUTCOMES, outcome);

const FIELDS: Words = {
  transactionId: 'TRANSACTIONID',
  execCode: 'EXECCODE',
  commandId: 'id of the command',
  otherAmounts: 'amounts reported',
  end: 'ended',
  latest: 'the shop was told',
  external: 'made elsewhere',
  at: 'written',
  answer: '',
};
/** `answer.executedAt` as `executed at`. */
export const fieldInWords = (path: string): string =>
  path
    .split('.')
    .map((name) => FIELDS[name] ?? name.replace(/([a-z])([A-Z])/g, (_, end: string, next: string) => `${end} ${next.toLowerCase()}`))
    .join(' ')
    .trim(); // prettier-ignore

const WHY_TWO: Words = {
  amount: 'the amount is over the limit',
  conflict: 'it ends a conflict',
  refused: 'it is refused, and the customer may pay again',
  not_executed: 'it may be sent again',
};
export const whyTwoInWords = (why: string): string => said(WHY_TWO, why);

/** Each is what a person can do about a refusal that names no remedy. */
const REMEDIES: Words = {
  role_needed: 'Somebody with that role can do it.',
  same_operator: 'Another person must decide: you proposed it.',
  person_needed: 'Your key names no person. Use a token, or have the entry of the key name you.',
  proposal_stale: 'The order has moved on since you looked. Look at it again; propose it anew if it is still true.',
  already_decided: 'Somebody was faster. The first answer counts.',
  merchant_not_allowed: 'Ask somebody who acts for this merchant.',
  not_executed_too_early: 'Leave it until then.',
  transaction_of_another: 'Another order has that TRANSACTIONID already: look both up in the back office.',
  gateway_unavailable: 'Look at the order before you say it again.',
  no_answer: 'Look at the order before you say it again.',
};
export const remedyOf = (code: string): string | undefined => REMEDIES[code];
