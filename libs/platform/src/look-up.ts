import {
  execCodeClass,
  operationKindOf,
  PROTOCOL_VERSION,
  withoutReturnPage,
  type ListedTransaction,
  type Merchant,
} from '@tranche/contracts';
import { amountFlags, boundedAnswer, fieldsOfBody, isTransactionId, readAmount, textsOf } from './bounded-answer.js';
import { encodeForm, type Parameters } from './form.js';
import { signed, signingKey } from './signature.js';

export const EXPORT_PATH = '/front/service/rest/export';

/** The interface document does not have it, see docs/decisions/0021. */
const METHOD = 'getTransactions';

/** True if the merchant allows look-ups. ORDERIDs are joined by `;`, so an id that contains it would ask about other orders. */
export const mayBeLookedUp = (orderId: string, merchant: Merchant | undefined): boolean =>
  merchant?.lookup === true && !orderId.includes(';');

/** Form that asks for the transactions of one order, signed with the account's key like any operation. */
export function lookUpForm(merchant: Merchant, orderId: string): string {
  const parameters: Parameters = [
    ['IDENTIFIER', merchant.identifier],
    ['OPERATIONTYPE', METHOD],
    ['VERSION', PROTOCOL_VERSION],
    ['ORDERID', orderId],
  ];
  return encodeForm(METHOD, signed(parameters, signingKey(merchant)));
}

export type Row = ReadonlyMap<string, string>;

export type LookUpReply = { kind: 'answered'; status: number; body: string } | { kind: 'unanswered'; message: string };

export type LookUpAnswer =
  | { kind: 'rows'; rows: Row[] }
  /** The platform does not support this request at any URL. */
  | { kind: 'refused'; execCode: string }
  /** The platform refused the bearer token. */
  | { kind: 'unauthorized' }
  /** The answer cannot be read; the other URL may have a better one. */
  | { kind: 'failed'; message: string };

/** An order normally has a handful of transactions. */
const MAX_ROWS = 200;

export function readLookUpAnswer(reply: LookUpReply): LookUpAnswer {
  if (reply.kind === 'unanswered') return { kind: 'failed', message: reply.message };
  const { status, body } = reply;
  if (status === 401) return { kind: 'unauthorized' };
  if (status !== 200) return { kind: 'failed', message: `HTTP ${status}` };
  const answer = fieldsOfBody(body);
  const execCode = textsOf(answer).get('EXECCODE');
  if (answer === undefined || execCode === undefined) return { kind: 'failed', message: 'the answer cannot be read' };
  if (execCodeClass(execCode) === 'refused') return { kind: 'refused', execCode };
  if (execCodeClass(execCode) !== 'succeeded') return { kind: 'failed', message: `EXECCODE ${execCode.slice(0, 8)}` };
  if (!Array.isArray(answer.DATA)) return { kind: 'failed', message: 'the answer has no DATA' };
  return { kind: 'rows', rows: answer.DATA.slice(0, MAX_ROWS).map(textsOf) };
}

/** RFC 3339 with a zone: a time without one may be hours off. */
const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Stricter than for an answer, because a row without a code may be a heading or cut off. */
const EXECCODE = /^[0-9A-Za-z]{1,8}$/;

/** Undefined if the row does not identify a transaction by TRANSACTIONID and EXECCODE. */
export function listedTransaction(row: Row): ListedTransaction | undefined {
  const execCode = row.get('EXECCODE') ?? '';
  const transactionId = row.get('TRANSACTIONID') ?? '';
  if (!EXECCODE.test(execCode) || !isTransactionId(transactionId)) return undefined;
  const date = row.get('DATE') ?? '';
  const amount = readAmount(row.get('AMOUNT'));
  return {
    orderId: row.get('ORDERID'),
    identifier: row.get('IDENTIFIER'),
    operation: operationKindOf(row.get('OPERATIONTYPE') ?? ''),
    execCode,
    transactionId,
    amount,
    dateMs: DATE.test(date) ? Date.parse(date) : Number.NaN,
    extraData: withoutReturnPage(row.get('EXTRADATA')),
    ...amountFlags(row.get('AMOUNT')),
    answer: boundedAnswer({
      execCode,
      transactionId,
      amount,
      message: row.get('MESSAGE'),
      descriptor: row.get('DESCRIPTOR'),
    }),
  };
}
