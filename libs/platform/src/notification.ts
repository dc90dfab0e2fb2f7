import { operationKindOf, type NotifiedResult, type PaymentNotification } from '@tranche/contracts';
import { boundedAnswer } from './bounded-answer.js';

/** What the journal keeps of an OPERATIONTYPE that no operation of ours has; characters. */
const OPERATION_TYPE_CHARACTERS = 64;

/** What a notification says of its operation, without what identifies the order. */
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
