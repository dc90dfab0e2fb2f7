import {
  METHOD_NAMES,
  methodRow,
  operationKindOf,
  withoutReturnPage,
  type NotifiedResult,
  type PaymentNotification,
  type TransactionDetails,
} from '@tranche/contracts';
import { boundedAnswer } from './bounded-answer.js';

const OPERATION_TYPE_CHARACTERS = 64;
/** EXTRADATA has at most 255 characters; a much longer one is not ours. */
const EXTRADATA_CHARACTERS = 4_096;
/** Maximum characters of LANGUAGE, a masked card and its brands; longer ones are dropped. */
const DETAIL_CHARACTERS = 64;

export function notifiedResult(notification: PaymentNotification): NotifiedResult {
  const { operationType, execCode, transactionId, amount, message, descriptor, flags } = notification;
  const answer = boundedAnswer({ execCode, transactionId, amount, message, descriptor });
  const result: NotifiedResult = { answer, ...detailsOf(notification) };
  const operation = operationKindOf(operationType);
  if (operation !== undefined) result.operation = operation;
  else if (operationType !== '') result.operationType = operationType.slice(0, OPERATION_TYPE_CHARACTERS);
  for (const name of ['extraData', 'externalEntityId', 'externalReference'] as const) {
    const text = name === 'extraData' ? withoutReturnPage(notification[name]) : notification[name];
    if (text !== undefined && text.length <= EXTRADATA_CHARACTERS) result[name] = text;
  }
  const isDropped = (notification.extraData?.length ?? 0) > EXTRADATA_CHARACTERS;
  const all = isDropped ? [...flags, 'extra_data_dropped'] : flags;
  if (all.length > 0) result.flags = all;
  return result;
}

/** A notification does not name the payment method, so all methods with its language are listed; the order compares. */
function detailsOf({ currency, language, receivedAt, ...notification }: PaymentNotification): TransactionDetails {
  const details: TransactionDetails = { executedAt: receivedAt };
  if (currency !== undefined && /^[A-Z]{3}$/.test(currency)) details.currency = currency;
  if (language !== undefined && language.length <= DETAIL_CHARACTERS) {
    details.language = language;
    details.languageOf = METHOD_NAMES.filter((method) => methodRow(method).languages.includes(language));
  }
  for (const name of ['maskedCard', 'cardBrand', 'selectedBrand', 'cardCountry'] as const) {
    const text = notification[name];
    if (text !== undefined && text.length <= DETAIL_CHARACTERS) details[name] = text;
  }
  return details;
}
