import { operationKindOf, type NotifiedResult, type PaymentNotification } from '@tranche/contracts';
import { boundedAnswer } from './bounded-answer.js';

/** What the journal keeps of an OPERATIONTYPE that no operation of ours has; characters. */
const OPERATION_TYPE_CHARACTERS = 64;
/** EXTRADATA has 255: what is much longer is none of ours. */
const EXTRADATA_CHARACTERS = 4_096;

/** What a notification says of its operation, without what identifies the order. */
export function notifiedResult(notification: PaymentNotification): NotifiedResult {
  const { operationType, execCode, transactionId, amount, message, descriptor, flags } = notification;
  const result: NotifiedResult = { answer: boundedAnswer({ execCode, transactionId, amount, message, descriptor }) };
  const operation = operationKindOf(operationType);
  if (operation !== undefined) result.operation = operation;
  else if (operationType !== '') result.operationType = operationType.slice(0, OPERATION_TYPE_CHARACTERS);
  for (const name of ['extraData', 'externalEntityId', 'externalReference'] as const) {
    const text = notification[name];
    if (text !== undefined && text.length <= EXTRADATA_CHARACTERS) result[name] = text;
  }
  const isDropped = (notification.extraData?.length ?? 0) > EXTRADATA_CHARACTERS;
  const all = isDropped ? [...flags, 'extra_data_dropped'] : flags;
  if (all.length > 0) result.flags = all;
  return result;
}
