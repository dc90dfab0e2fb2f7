import type { TransactionDetails } from '@tranche/contracts';
import { compact, CONFLICT, type Draft } from './draft.js';
import { findOperation, isPayment, type EventBody, type OperationState } from './order-state.js';
import { CLOCKS_APART_MS } from './send-deadline.js';
import type { ReportedResult } from './transitions.js';

/** Records have them from rules version 4 on. */
export function detailsOf(evidence: TransactionDetails): TransactionDetails {
  const { currency, language, languageOf, maskedCard, cardBrand, cardCountry, executedAt } = evidence;
  return compact({ currency, language, languageOf, maskedCard, cardBrand, cardCountry, executedAt });
}

/** What of them an event says; the currency of an event is the operation's. */
export function toldDetails({ language, maskedCard, cardBrand, cardCountry }: TransactionDetails): EventBody {
  return compact({ language, maskedCard, cardBrand, cardCountry });
}

const tellsCard = ({ maskedCard, cardBrand, cardCountry }: TransactionDetails): boolean =>
  (maskedCard ?? cardBrand ?? cardCountry) !== undefined;

/** Flags of the event of a result: the operation's own, and what is odd about the details. */
export function flagsWith(
  operation: OperationState,
  { language, languageOf }: TransactionDetails,
): string[] | undefined {
  const isUnknown = language !== undefined && languageOf !== undefined && !languageOf.includes(operation.method);
  return isUnknown ? [...(operation.flags ?? []), 'unknown_language'] : operation.flags;
}

/** The operation with what is kept of the details of a success: when it was, and whether its card is told. */
export function withDetails(operation: OperationState, reported: ReportedResult): OperationState {
  const executedAt = earlierOf(operation, reported.executedAt);
  const isCardTold = operation.isCardTold ?? (isPayment(operation) && tellsCard(reported) ? true : undefined);
  if (executedAt === operation.executedAt && isCardTold === operation.isCardTold) return operation;
  return { ...operation, executedAt, isCardTold };
}

/** Of an authorization. Nothing was executed before its INTENT: what says so is of a clock that is wrong. */
function earlierOf(operation: OperationState, told: string | undefined): string | undefined {
  const { executedAt, endedAt = '', firstIntentAt = '' } = operation;
  if (operation.operation !== 'authorize') return undefined;
  const toldMs = Date.parse(told ?? '');
  const isEarlier = toldMs < Date.parse(executedAt ?? endedAt) && toldMs >= Date.parse(firstIntentAt) - CLOCKS_APART_MS;
  return isEarlier ? told : executedAt;
}

/** From when its capture window counts. */
export const windowFrom = ({ executedAt, endedAt }: OperationState): string | undefined => executedAt ?? endedAt;

/** The platform names another currency than the order's: a conflict, once per currency. Returns the operation as it is then. */
export function tellOtherCurrency(next: Draft, operation: OperationState, reported: ReportedResult): OperationState {
  const { currency: otherCurrency, origin } = reported;
  const { currency, otherCurrencies = [] } = operation;
  if (otherCurrency === undefined || otherCurrency === currency || otherCurrencies.includes(otherCurrency))
    return operation;
  const known = findOperation(next.order, operation.commandId) ?? operation;
  const moved = { ...known, otherCurrencies: [...otherCurrencies, otherCurrency] };
  next.put(moved);
  const { execCode, transactionId } = reported.answer;
  const body = { origin, execCode, transactionId, ...toldDetails(reported), otherCurrency };
  next.publish(CONFLICT, moved, { ...body, flags: ['other_currency'] });
  return moved;
}
