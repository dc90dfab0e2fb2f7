import type { PlatformAnswer } from '@tranche/contracts';

/** string(4) (interface, Transaction), with room for a code that we have never seen. */
export const isExecCode = (text: string): boolean => /^[0-9A-Za-z]{1,8}$/.test(text);
/** TRANSACTIONID, string(1-32): what is no such id binds nothing. */
export const isTransactionId = (text: string): boolean => /^.{1,32}$/su.test(text);
/** AMOUNT, minor units. */
export const readAmount = (text = ''): number | undefined => (/^[0-9]{1,15}$/.test(text) ? Number(text) : undefined);

/** MESSAGE has no limit of its own (interface, Transaction); a journal record has. Characters and bytes. */
const MESSAGE_CHARACTERS = 4_096;
const DESCRIPTOR_CHARACTERS = 255;
const REDIRECT_HTML_BYTES = 2 * 1024 * 1024;

type Said = { [K in 'execCode' | 'transactionId' | 'message' | 'descriptor' | 'redirectHtml']?: string | undefined } & {
  amount?: number | undefined;
};

/** The platform's words in a size that always fits a journal record; what was cut or dropped is flagged. */
export function boundedAnswer({ execCode, transactionId, message, descriptor, amount, redirectHtml }: Said): PlatformAnswer {
  const answer: PlatformAnswer = {};
  if (execCode !== undefined) answer.execCode = execCode;
  if (transactionId !== undefined && isTransactionId(transactionId)) answer.transactionId = transactionId;
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
