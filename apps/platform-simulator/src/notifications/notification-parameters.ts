import { createHash } from 'node:crypto';
import type { Merchant } from '@tranche/contracts';
import { hashOf } from '../request/platform-hash.js';
import { messageOf } from '../transactions/exec-codes.js';
import { languagesOf } from '../platform-methods.js';
import type { Transaction } from '../transactions/transaction.js';

export type NamedValues = [name: string, value: string][];

/** Interface, Events, in the document's order; the redirect has the same. Parameters that the request lacked are left out. */
export function notificationParameters(transaction: Transaction, merchant: Merchant): NamedValues {
  const { card } = transaction;
  const values: [string, string | undefined][] = [
    ['IDENTIFIER', transaction.identifier],
    ['OPERATIONTYPE', transaction.operationType],
    ['TRANSACTIONID', transaction.transactionId],
    ['CLIENTIDENT', transaction.clientIdent],
    ['CLIENTEMAIL', transaction.clientEmail],
    ['ORDERID', transaction.orderId],
    ['AMOUNT', String(transaction.amount)],
    ['VERSION', transaction.version],
    ['LANGUAGE', languageOf(transaction)],
    ['CURRENCY', merchant.currency],
    ['EXECCODE', transaction.execCode],
    ['MESSAGE', messageOf(transaction.execCode)],
    ['DESCRIPTOR', descriptorOf(merchant)],
    ['EXTRADATA', transaction.extraData],
  ];
  if (transaction.method === 'B' && transaction.operationType === 'refund') {
    values.push(
      ['EXTERNALENTITYID', entityIdOf(merchant)],
      ['EXTERNALREFERENCE', transaction.externalReference.padStart(9, '0')],
    );
  }
  if (card) {
    values.push(
      ['CARDCODE', card.number],
      ['CARDVALIDITYDATE', card.validityDate],
      ['CARDFULLNAME', card.fullName || undefined],
    );
    values.push(['CARDTYPE', card.type], ['CARDCOUNTRY', card.country]);
  }
  return values.filter((pair): pair is [string, string] => pair[1] !== undefined);
}

/** Any LANGUAGE that the interface lists for the method, the same for all notifications of an order. */
function languageOf({ method, orderId }: Transaction): string {
  const languages = languagesOf(method);
  return languages[createHash('sha256').update(orderId).digest().readUInt32BE(0) % languages.length]!;
}

/** The text on the cardholder's bank statement. */
export const descriptorOf = ({ merchant }: Merchant): string => merchant.toUpperCase();

export const signed = (parameters: NamedValues, key: string): NamedValues => [
  ...parameters,
  ['HASH', hashOf(key, parameters)],
];

export const signedNotification = (transaction: Transaction, merchant: Merchant): NamedValues =>
  signed(notificationParameters(transaction, merchant), merchant.notificationKey ?? merchant.accountKey);

/** REDIRECT_URL with the signed result; undefined if the merchant has none. */
export function redirectAddress(transaction: Transaction, merchant: Merchant): string | undefined {
  if (merchant.returnUrl === undefined) return undefined;
  return withQuery(
    merchant.returnUrl,
    signed(notificationParameters(transaction, merchant), merchant.redirectKey ?? merchant.accountKey),
  );
}

export function withQuery(address: string, parameters: NamedValues): string {
  const url = new URL(address);
  const query = new URLSearchParams(parameters).toString();
  url.search = url.search === '' ? query : `${url.search}&${query}`;
  return url.href;
}

/** EXTERNALENTITYID: 1 to 10 digits, constant for a merchant. */
const entityIdOf = ({ identifier }: Merchant) =>
  String(createHash('sha256').update(identifier).digest().readUInt32BE(0));
