import type { Merchant } from '@tranche/contracts';
import { descriptorOf } from '../notifications/notification-parameters.js';
import { messageOf, type Refusal } from '../transactions/exec-codes.js';
import type { Transaction } from '../transactions/transaction.js';

/** JSON object of an answer. All values are strings, also in refusals. */
export type Answer = Record<string, string>;

export function refusalAnswer(operationType: string, { execCode, message }: Refusal): Answer {
  return { OPERATIONTYPE: operationType, EXECCODE: execCode, MESSAGE: message };
}

export function executedAnswer(
  transaction: Transaction,
  execCode: string,
  merchant: Merchant,
  formAddress: string,
): Answer {
  const answer: Answer = {
    OPERATIONTYPE: transaction.operationType,
    EXECCODE: execCode,
    MESSAGE: messageOf(execCode),
    TRANSACTIONID: transaction.transactionId,
    DESCRIPTOR: descriptorOf(merchant),
  };
  if (transaction.state === 'redirected')
    answer.REDIRECTHTML = Buffer.from(redirectHtml(formAddress)).toString('base64');
  return answer;
}

/** A fragment for the merchant's page: a script submits it, and without scripts the cardholder clicks the button. */
function redirectHtml(formAddress: string): string {
  return (
    `<form id="provider-form" method="get" action="${formAddress}"><p>You will be redirected to the payment form.</p>` +
    '<button type="submit">Continue</button></form><script>document.getElementById("provider-form").submit();</script>'
  );
}
