import type { Merchant, Merchants } from '@tranche/contracts';
import type { FastifyInstance } from 'fastify';
import { descriptorOf } from '../notifications/notification-parameters.js';
import { parseFormBody } from '../request/flat-parameters.js';
import { checkForm, checkSignature } from '../request/request-rules.js';
import type { AccessTokens } from '../token-api/access-tokens.store.js';
import { messageOf, refusal, type Refusal } from '../transactions/exec-codes.js';
import type { Books } from '../transactions/execution.service.js';
import type { Transaction } from '../transactions/transaction.js';
import { refusalAnswer } from './answer.js';
import { bearerOf, formBodyOf, takeBodiesAsText, unauthorized } from './process.controller.js';

interface LookupParts {
  readonly merchants: Merchants;
  readonly books: Books;
  readonly accessTokens: AccessTokens;
  /** A transaction younger than this is not found yet. */
  readonly lagMs: number;
}

const OPERATION = 'getTransactions';

/** `POST /front/service/rest/export`, `method=getTransactions`: the transactions of some ORDERIDs or TRANSACTIONIDs, late. */
export async function lookupController(server: FastifyInstance, { merchants, books, accessTokens, lagMs }: LookupParts): Promise<void> {
  await server.register((scope, _options, done) => {
    takeBodiesAsText(scope);
    scope.setErrorHandler((_error, _request, reply) => reply.code(200).send(refusalAnswer('', refusal('1005'))));
    scope.get('/front/service/rest/export', (_request, reply) => reply.send(refusalAnswer('', refusal('1006'))));
    scope.post('/front/service/rest/export', (request, reply) => {
      const refuse = (refused: Refusal) => reply.send(refusalAnswer(OPERATION, refused));
      const form = parseFormBody(formBodyOf(request) ?? '');
      if (form === undefined) return refuse(refusal('1005'));
      const { parameters } = form;
      books.ledger.received(form.method?.slice(0, 32) ?? '', parameters);
      const merchant = merchants.byIdentifier(parameters.get('IDENTIFIER') ?? '');
      const refused = checkForm(form) ?? (form.method === OPERATION ? undefined : refusal('1002', 'method'));
      if (refused !== undefined) return refuse(refused);
      if (merchant === undefined) return refuse(refusal('1002', 'IDENTIFIER'));
      const { authAccount } = merchant;
      if (authAccount !== undefined && !accessTokens.isValid(bearerOf(request), authAccount)) return unauthorized(reply);
      const wrong = checkSignature(parameters, merchant);
      if (wrong !== undefined) return refuse(wrong);
      if (!merchant.lookup) return refuse(refusal('3003'));
      const list = (name: string) => parameters.get(name)?.split(';') ?? [];
      const orderIds = list('ORDERID');
      const transactionIds = list('TRANSACTIONID');
      if (orderIds.length + transactionIds.length === 0) return refuse(refusal('1001', 'ORDERID'));
      const found = [
        ...orderIds.flatMap((orderId) => [...books.transactions.ofOrder(merchant.identifier, orderId)]),
        ...transactionIds.flatMap((id) => books.transactions.findOf(merchant.identifier, id) ?? []),
      ];
      const visible = found.filter(({ createdAtMs }) => createdAtMs + lagMs <= books.clock.nowMs());
      const answer = { OPERATIONTYPE: OPERATION, EXECCODE: '0000', MESSAGE: messageOf('0000') };
      const isByFile = parameters.has('CALLBACKURL') || parameters.has('MAILTO');
      return reply.send(isByFile ? answer : { ...answer, DATA: visible.map((one) => rowOf(one, merchant)) });
    });
    done();
  });
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
