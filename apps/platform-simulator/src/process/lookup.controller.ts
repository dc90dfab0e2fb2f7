import type { Merchant, Merchants } from '@tranche/contracts';
import type { FastifyInstance } from 'fastify';
import { descriptorOf } from '../notifications/notification-parameters.js';
import type { FormBody } from '../request/flat-parameters.js';
import { checkForm, checkSignature } from '../request/request-rules.js';
import type { AccessTokens } from '../token-api/access-tokens.store.js';
import { messageOf, refusal, type Refusal } from '../transactions/exec-codes.js';
import type { Books } from '../transactions/execution.service.js';
import type { Transaction } from '../transactions/transaction.js';
import { answerCall, UNAUTHORIZED, type Edge, type Result } from './disturbance.js';
import { bearerOf, formOf, refusalAnswer, takeForms } from './process.controller.js';

interface LookupParts extends Edge {
  readonly merchants: Merchants;
  readonly books: Books;
  readonly accessTokens: AccessTokens;
  /** Transactions younger than this are not found yet. */
  readonly lookupLagMs: number;
}

const OPERATION = 'getTransactions';
const PATH = '/front/service/rest/export';

/** `POST /front/service/rest/export` with `method=getTransactions` answers the transactions of ORDERIDs or TRANSACTIONIDs, after a lag. */
export async function lookupController(server: FastifyInstance, parts: LookupParts): Promise<void> {
  const { merchants, books } = parts;
  await takeForms(server, [PATH], (scope, path) => {
    scope.post(path, (request, reply) => {
      const form = formOf(request);
      if (form === undefined) return reply.send(refused(refusal('1005')));
      const merchant = merchants.byIdentifier(form.parameters.get('IDENTIFIER') ?? '');
      const call = books.ledger.received(form.method?.slice(0, 32) ?? '', form.parameters);
      const { orderId, identifier } = call;
      const subject = { operation: OPERATION, orderId, identifier, merchant: merchant?.merchant };
      return answerCall(parts, { request, reply, subject, call, refused }, () =>
        lookUp(form, merchant, bearerOf(request), parts),
      );
    });
  });
}

const refused = (reason: Refusal) => refusalAnswer(OPERATION, reason);

function lookUp(
  form: FormBody,
  merchant: Merchant | undefined,
  bearer: string | undefined,
  { books, accessTokens, lookupLagMs }: LookupParts,
): Result {
  const { parameters } = form;
  const wrong = checkForm(form) ?? (form.method === OPERATION ? undefined : refusal('1002', 'method'));
  if (wrong !== undefined) return { body: refused(wrong) };
  if (merchant === undefined) return { body: refused(refusal('1002', 'IDENTIFIER')) };
  if (merchant.authAccount !== undefined && !accessTokens.isValid(bearer, merchant.authAccount)) return UNAUTHORIZED;
  const forged = checkSignature(parameters, merchant);
  if (forged !== undefined) return { body: refused(forged) };
  if (!merchant.lookup) return { body: refused(refusal('3003')) };
  const list = (name: string) => parameters.get(name)?.split(';') ?? [];
  const orderIds = list('ORDERID');
  const transactionIds = list('TRANSACTIONID');
  if (orderIds.length + transactionIds.length === 0) return { body: refused(refusal('1001', 'ORDERID')) };
  const found = [
    ...orderIds.flatMap((orderId) => books.transactions.ofOrder(merchant.identifier, orderId)),
    ...transactionIds.flatMap((id) => books.transactions.findOf(merchant.identifier, id) ?? []),
  ];
  const visible = found.filter(({ createdAtMs }) => createdAtMs + lookupLagMs <= books.clock.nowMs());
  const answer = { OPERATIONTYPE: OPERATION, EXECCODE: '0000', MESSAGE: messageOf('0000') };
  const isByFile = parameters.has('CALLBACKURL') || parameters.has('MAILTO');
  return { body: isByFile ? answer : { ...answer, DATA: visible.map((one) => rowOf(one, merchant)) } };
}

function rowOf(transaction: Transaction, merchant: Merchant): Record<string, string> {
  const { extraData } = transaction;
  return {
    TRANSACTIONID: transaction.transactionId,
    IDENTIFIER: transaction.identifier,
    ORDERID: transaction.orderId,
    OPERATIONTYPE: transaction.operationType,
    EXECCODE: transaction.execCode,
    MESSAGE: messageOf(transaction.execCode),
    AMOUNT: String(transaction.amount),
    CURRENCY: merchant.currency,
    DESCRIPTOR: descriptorOf(merchant),
    DATE: new Date(transaction.createdAtMs).toISOString(),
    ...(extraData === undefined ? {} : { EXTRADATA: extraData }),
  };
}
