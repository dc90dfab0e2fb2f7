import type { Merchant, Merchants } from '@tranche/contracts';
import type { FastifyInstance } from 'fastify';
import type { Faults } from '../control/faults.store.js';
import { descriptorOf } from '../notifications/notification-parameters.js';
import { parseFormBody, type FormBody } from '../request/flat-parameters.js';
import { checkForm, checkSignature } from '../request/request-rules.js';
import type { AccessTokens } from '../token-api/access-tokens.store.js';
import { messageOf, refusal, type Refusal } from '../transactions/exec-codes.js';
import type { Books } from '../transactions/execution.service.js';
import type { Transaction } from '../transactions/transaction.js';
import { refusalAnswer, type Answer } from './answer.js';
import { disturb } from './disturbed-answer.controller.js';
import { disturbanceAfter, disturbanceBefore, latencyOf, nameOf, pause } from './interference.service.js';
import { bearerOf, formBodyOf, takeBodiesAsText } from './process.controller.js';

interface LookupParts {
  readonly merchants: Merchants;
  readonly books: Books;
  readonly faults: Faults;
  readonly accessTokens: AccessTokens;
  readonly latencyMs: readonly [number, number];
  /** Transactions younger than this are not found yet. */
  readonly lagMs: number;
}

const OPERATION = 'getTransactions';
const PATH = '/front/service/rest/export';

/** `POST /front/service/rest/export` with `method=getTransactions` answers the transactions of ORDERIDs or TRANSACTIONIDs, after a lag. */
export async function lookupController(server: FastifyInstance, parts: LookupParts): Promise<void> {
  const { merchants, books, faults } = parts;
  await server.register((scope, _options, done) => {
    takeBodiesAsText(scope);
    scope.setErrorHandler((_error, _request, reply) => reply.code(200).send(refusalAnswer('', refusal('1005'))));
    scope.get(PATH, (_request, reply) => reply.send(refusalAnswer('', refusal('1006'))));
    scope.post(PATH, async (request, reply) => {
      const form = parseFormBody(formBodyOf(request) ?? '');
      if (form === undefined) return reply.send(refusalAnswer(OPERATION, refusal('1005')));
      const merchant = merchants.byIdentifier(form.parameters.get('IDENTIFIER') ?? '');
      const call = books.ledger.received(form.method?.slice(0, 32) ?? '', form.parameters);
      const { orderId, identifier } = call;
      const fault = faults.ofCall({ operation: OPERATION, orderId, merchant: merchant?.merchant, identifier });
      await pause(latencyOf(fault, parts.latencyMs));
      const found = lookUp(form, merchant, bearerOf(request), parts);
      const disturbance =
        disturbanceBefore(fault) ??
        (found === undefined ? { kind: 'unauthorized' as const } : disturbanceAfter(fault, found));
      call.answered = disturbance === undefined ? (fault?.execCode ?? found?.EXECCODE) : nameOf(disturbance);
      if (disturbance !== undefined) return disturb(request, reply, disturbance);
      return reply.send(fault?.execCode === undefined ? found : refusalAnswer(OPERATION, refusal(fault.execCode)));
    });
    done();
  });
}

interface Found {
  readonly EXECCODE: string;
  readonly DATA?: readonly Record<string, string>[];
}

/** Returns `undefined` if the request has no valid access token of the merchant's account. */
function lookUp(
  form: FormBody,
  merchant: Merchant | undefined,
  bearer: string | undefined,
  parts: LookupParts,
): Found | undefined {
  const { books, accessTokens, lagMs } = parts;
  const { parameters } = form;
  const refuse = (refused: Refusal) => refusalAnswer(OPERATION, refused) as Answer & Found;
  const refused = checkForm(form) ?? (form.method === OPERATION ? undefined : refusal('1002', 'method'));
  if (refused !== undefined) return refuse(refused);
  if (merchant === undefined) return refuse(refusal('1002', 'IDENTIFIER'));
  if (merchant.authAccount !== undefined && !accessTokens.isValid(bearer, merchant.authAccount)) return undefined;
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
  return isByFile ? answer : { ...answer, DATA: visible.map((one) => rowOf(one, merchant)) };
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
