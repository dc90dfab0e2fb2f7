/** The command lines that go on with an order. Each is whole and has real ids, so that it can be typed as it stands. */
import {
  conflictsOf,
  findOperation,
  isPayment,
  NOT_EXECUTED_AFTER_MS,
  operationIdOf,
  type Conflict,
  type OperationState,
  type OrderState,
} from '@tranche/order-journal';
import type { Order, Proposal } from '../api/operations.js';
import { money, relative } from '../output/output.js';
import { timerInWords } from '../output/words.js';
import { canBeTyped, printableInLine, shellWord } from '../printable.js';
import { stateOf } from './order-text.js';

export interface Entry {
  id: string;
  kind: string;
  actBy?: string;
  about: {
    commandId?: string;
    reason?: string;
    reasons?: string[];
    conflictIds?: string[];
    blocks?: string;
    operation?: string;
    byItself?: { what: string; at: string }[];
  };
}

/** Stands for a fact that only the back office shows, as in the runbook. It is refused as it stands. */
const TRANSACTION = "--transaction-id '<TRANSACTIONID in the back office>'";
const REFERENCE = "--reference '<of the refund or the transfer>'";
const REASON = "--reason 'how you know it, with the ticket'";

/** An order as a word of a command line: by its id where its number can not be typed. */
export const orderWord = ({ merchant, orderId }: { merchant: string; orderId: string }): string =>
  canBeTyped(orderId) ? shellWord(`${merchant}/${orderId}`) : operationIdOf({ merchant, orderId, commandId: '-' });

/** When a line is right, and the line; without one there is nothing to type yet. */
export type Next = readonly [when: string, line?: string];

/** Lists what ends an entry of the order's attention. Who decides without a look at the back office guesses, so each says what it must show. */
export function nextLines(
  order: Order,
  { kind, id, about }: Entry,
  proposals: readonly Proposal[],
  nowMs = Date.now(),
): Next[] {
  const { conflictIds = [], commandId = '' } = about;
  const proposed = proposals.filter((one) => [id, ...conflictIds].includes(one.operation ?? one.conflict ?? ''));
  if (proposed.length > 0)
    return proposed.map((one) => [`you are not ${one.proposedBy}, who proposed it`, `tranche approve ${one.id}`]);
  const state = stateOf(order);
  const operation = findOperation(state, commandId);
  if (kind === 'conflict')
    return conflictsOf(state)
      .filter((one) => conflictIds.includes(operationIdOf({ ...order, commandId: one.id })))
      .flatMap((conflict) => ofConflict(state, conflict));
  if (kind === 'frozen' || operation === undefined)
    return [['', `tranche timeline ${orderWord(order)}`]];
  const isOnly = (order.attention as unknown as Entry[]).filter((one) => OPEN.includes(one.kind)).length === 1;
  return ofOperation(state, operation, { isOnly, kind, nowMs });
} // prettier-ignore

const OPEN = ['doubt', 'open_to_operator'];

function ofOperation(
  order: OrderState,
  operation: OperationState,
  { isOnly, kind, nowMs }: { isOnly: boolean; kind: string; nowMs: number },
): Next[] {
  const { commandId, attempts, token, amount, currency } = operation;
  const sent = attempts.find((attempt) => attempt.token === token);
  const isNamed = !isOnly && canBeTyped(commandId);
  const word = isOnly || isNamed ? orderWord(order) : operationIdOf({ ...order, commandId });
  const of = isNamed ? ` --command ${shellWord(commandId)}` : '';
  const resolve = (outcome: string, more = '') => `tranche resolve ${word} ${outcome}${more}${of} ${REASON}`;
  const isAssumed = kind === 'candidates';
  const known = isAssumed ? undefined : sent?.transactionId;
  const transaction = known === undefined ? TRANSACTION : `--transaction-id ${shellWord(known)}`;
  const sum = money(amount, currency);
  const succeeded: Next = [
    `the back office has it${sum === undefined ? '' : `, with ${sum}`}`,
    resolve('succeeded', ` ${transaction}`),
  ];
  if (isAssumed) return [succeeded];
  // Its call may be under way until then, and the gateway refuses the statement.
  const from = new Date(Date.parse(sent?.intentAt ?? '1970') + NOT_EXECUTED_AFTER_MS).toISOString();
  const nothing: Next =
    Date.parse(from) > nowMs
      ? [`the back office has nothing of it: wait until ${from} (${relative(from, nowMs)}), then show it again`]
      : ['the back office has nothing of it', resolve('not-executed')];
  const waits: Next[] =
    isPayment(operation) && kind === 'doubt' ? [['it waits for the buyer there', resolve('redirect-required')]] : [];
  return [succeeded, [`the back office has it as refused`, resolve('refused')], ...waits, nothing];
}

function ofConflict(order: OrderState, conflict: Conflict): Next[] {
  const { id, reason, commandId = '', transactionId, amount } = conflict;
  const operation = findOperation(order, commandId);
  const currency = operation?.currency ?? order.operations[0]?.currency;
  const isOnly = conflictsOf(order).filter((one) => one.reason !== 'transaction_assumed').length === 1;
  const of = isOnly ? '' : ` --conflict ${operationIdOf({ ...order, commandId: id })}`;
  const settle = (outcome: string, more = '') => `tranche settle ${orderWord(order)} ${outcome}${more}${of} ${REASON}`;
  const back = amount ?? operation?.amount;
  const transaction = transactionId === undefined ? TRANSACTION : `--transaction-id ${shellWord(transactionId)}`;
  const repaired: Next[] =
    back === undefined
      ? []
      : [[`${money(back, currency)} of it were given back elsewhere`, settle('repaired', ` --amount ${back} ${transaction} ${REFERENCE}`)]];
  if (reason === 'two_payments_succeeded' || reason === 'paid_after_void')
    return [['all of the payments are right as they are', settle('kept')], ...repaired];
  const reported = new Set([operation?.amount, ...(operation?.otherAmounts ?? [])].flatMap((one) => one ?? []));
  const isAmountOpen = operation?.otherAmounts !== undefined || operation?.isAmountDisputed === true;
  const succeeded: Next[] = isAmountOpen
    ? [...reported].map((one) => [`the back office has ${money(one, currency)}`, settle('kept', ` --result succeeded --amount ${one}`)])
    : [['the back office has it as done', settle('kept', ' --result succeeded')]];
  const refused: Next[] =
    reason === 'other_amount' ? [] : [['the back office has it as refused', settle('kept', ' --result refused')]];
  return [...succeeded, ...refused, ...repaired];
} // prettier-ignore

/** The line stands alone, so that it can be typed as it is. */
const nextText = ([when, line]: Next): string[] => [
  `  next${when === '' ? '' : `, if ${when}`}${line === undefined ? '' : ':'}`,
  ...(line === undefined ? [] : [`    ${line}`]),
];

/** Lists what of the order needs a person, what it blocks, and what lifts that. */
export function attentionText(order: Order, proposals: readonly Proposal[]): string[] {
  return (order.attention as unknown as Entry[]).flatMap((entry) => {
    const { kind, actBy, about } = entry;
    const { reason, reasons = [], blocks, operation, byItself = [] } = about;
    const what = [operation, reason, ...reasons].filter((one) => one !== undefined).join(', ');
    return [
      `${kind}: ${what}${actBy === undefined ? '' : `; act by ${actBy} (${relative(actBy)})`}`,
      ...(blocks === undefined ? [] : [`  blocks ${blocks}, until it is decided`]),
      ...byItself.map((one) => `  by itself: ${timerInWords(one.what)} ${relative(one.at)}`),
      ...nextLines(order, entry, proposals).flatMap(nextText),
    ].map(printableInLine);
  });
} // prettier-ignore
