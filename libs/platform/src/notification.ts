import { execCode as execCodeOf, operationKindOf, type OperationKind, type PaymentNotification } from '@tranche/contracts';
import { boundedAnswer, type PlatformAnswer } from './bounded-answer.js';

/** What the journal keeps of an OPERATIONTYPE that no operation of ours has; characters. */
const OPERATION_TYPE_CHARACTERS = 64;

/** What a notification says about an operation. Fields are absent where it says nothing. */
export interface NotifiedResult {
  operation?: OperationKind;
  /** An OPERATIONTYPE that no operation of ours has, as it stands (docs/decisions/0020). */
  operationType?: string;
  answer: PlatformAnswer;
  /** EXTRADATA as it came back. */
  extraData?: string;
  externalEntityId?: string;
  externalReference?: string;
  flags?: string[];
}

export function notifiedResult(notification: PaymentNotification): NotifiedResult {
  const { operationType, execCode, transactionId, amount, message, descriptor, flags } = notification;
  const result: NotifiedResult = { answer: boundedAnswer({ execCode, transactionId, amount, message, descriptor }) };
  const operation = operationKindOf(operationType);
  if (operation !== undefined) result.operation = operation;
  else if (operationType !== '') result.operationType = operationType.slice(0, OPERATION_TYPE_CHARACTERS);
  for (const name of ['extraData', 'externalEntityId', 'externalReference'] as const) {
    const text = notification[name];
    if (text !== undefined) result[name] = text;
  }
  if (flags.length > 0) result.flags = flags;
  return result;
}

/** What an EXECCODE adds to a result: accepted in part, or a refusal that may mean "already done". Both absent where they do not hold. */
export function execCodeNotes(execCode: string): { partial?: true; mayBeDone?: true } {
  const { class: codeClass, maybeAlreadyDone } = execCodeOf(execCode);
  return { ...(codeClass === 'succeeded_partly' ? { partial: true } : {}), ...(maybeAlreadyDone ? { mayBeDone: true } : {}) };
}
