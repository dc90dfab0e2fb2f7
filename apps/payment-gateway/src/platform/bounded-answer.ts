import type { Answer } from '@tranche/order-journal';

/** MESSAGE has no limit of its own (interface, Transaction); a journal record has. Characters and bytes. */
const MESSAGE_CHARACTERS = 4_096;
const DESCRIPTOR_CHARACTERS = 255;
const REDIRECT_HTML_BYTES = 2 * 1024 * 1024;
/** TRANSACTIONID, string(1-32): what is no such id binds nothing. */
const TRANSACTION_ID = /^.{1,32}$/su;

type Said = { [K in 'execCode' | 'transactionId' | 'message' | 'descriptor' | 'redirectHtml']?: string | undefined } & {
  amount?: number | undefined;
};

/** The platform's words in a size that always fits a journal record; what was cut or dropped is flagged. */
export function boundedAnswer({ execCode, transactionId, message, descriptor, amount, redirectHtml }: Said): Answer {
  const answer: Answer = {};
  if (execCode !== undefined) answer.execCode = execCode;
  if (transactionId !== undefined && TRANSACTION_ID.test(transactionId)) answer.transactionId = transactionId;
  if (descriptor !== undefined) answer.descriptor = descriptor.slice(0, DESCRIPTOR_CHARACTERS);
  if (amount !== undefined) answer.amount = amount;
  if (message !== undefined) {
    answer.message = message.slice(0, MESSAGE_CHARACTERS);
    if (message.length > MESSAGE_CHARACTERS) answer.messageTruncated = true;
  }
  if (redirectHtml !== undefined) {
    if (Buffer.byteLength(JSON.stringify(redirectHtml)) <= REDIRECT_HTML_BYTES) answer.redirectHtml = redirectHtml;
    else answer.redirectHtmlDropped = true;
  }
  return answer;
}
