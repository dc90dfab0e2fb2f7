import type { Merchant, Merchants } from '@tranche/contracts';
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import { descriptorOf } from '../notifications/notification-parameters.js';
import { parseFormBody, type FormBody } from '../request/flat-parameters.js';
import { checkForm, checkSignature, readOrder, type Order } from '../request/request-rules.js';
import type { AccessTokens } from '../token-api/access-tokens.store.js';
import { isRefusal, messageOf, refusal, type Refusal } from '../transactions/exec-codes.js';
import type { Books, Execution } from '../transactions/execution.service.js';
import type { Transaction } from '../transactions/transaction.js';
import { answerCall, UNAUTHORIZED, type Edge, type Result } from './disturbance.js';

interface ProcessParts extends Edge {
  readonly merchants: Merchants;
  readonly books: Books;
  readonly execution: Execution;
  readonly accessTokens: AccessTokens;
  readonly takesUnlistedParameters: boolean;
  readonly formAddress: (transactionId: string) => string;
}

const PATHS = ['/front/service/rest/process', '/front/service/rest/process.php'];
const FORM = /^application\/x-www-form-urlencoded\b/i;

/** JSON object of an answer. All values are strings, also in refusals. */
export type Answer = Record<string, string>;

/** `POST /front/service/rest/process` answers HTTP 200 with a JSON object of strings, also for refusals. */
export async function processController(server: FastifyInstance, parts: ProcessParts): Promise<void> {
  const { merchants, books } = parts;
  await takeForms(server, PATHS, (scope, path) => {
    scope.post(path, { onRequest: resetWhileReading(parts) }, (request, reply) => {
      const form = formOf(request);
      if (form === undefined) return reply.send(refusalAnswer('', refusal('1005')));
      const { parameters } = form;
      const operation = parameters.get('OPERATIONTYPE') ?? '';
      const merchant = merchants.byIdentifier(parameters.get('IDENTIFIER') ?? '');
      const call = books.ledger.received(operation.slice(0, 32), parameters);
      const order = read(form, merchant, bearerOf(request), parts);
      const { orderId, identifier } = call;
      const subject = { operation, orderId, identifier, merchant: merchant?.merchant };
      const refused = (reason: Refusal) => refusalAnswer(operation, reason);
      return aloneOnItsOrder(books, order, identifier, (isAlone) =>
        answerCall(parts, { request, reply, subject, call, refused }, (fault): Result => {
          if (order !== undefined && isRefusal(order)) return { body: refused(order) };
          if (order === undefined || merchant === undefined) return UNAUTHORIZED;
          if (!isAlone) return { body: refused(refusal('2017')) };
          const executed = parts.execution.execute(order, parameters, merchant, fault);
          if (isRefusal(executed)) return { body: refused(executed) };
          call.executed = true;
          const formAddress = parts.formAddress(executed.transaction.transactionId);
          const answer = executedAnswer(executed.transaction, executed.answered, merchant, formAddress);
          const said = fault.wrongOperationType ? ofAnotherOperation(answer) : answer;
          return { body: withPageOf(fault.pageBytes ?? 0, said) };
        }),
      );
    });
  });
}

/** Routes whose bodies are forms, read as text. */
export async function takeForms(
  server: FastifyInstance,
  paths: readonly string[],
  route: (scope: FastifyInstance, path: string) => void,
): Promise<void> {
  await server.register((scope, _options, done) => {
    takeBodiesAsText(scope);
    scope.setErrorHandler((_error, _request, reply) => reply.code(200).send(refusalAnswer('', refusal('1005'))));
    for (const path of paths) {
      scope.get(path, (_request, reply) => reply.send(refusalAnswer('', refusal('1006'))));
      route(scope, path);
    }
    done();
  });
}

export function takeBodiesAsText(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
}

/** Returns `undefined` if the body is not a form. A body without a Content-Type counts as a form. */
export function formOf({ headers, body }: FastifyRequest): FormBody | undefined {
  const type = headers['content-type'];
  return typeof body === 'string' && (type === undefined || FORM.test(type)) ? parseFormBody(body) : undefined;
}

export const bearerOf = ({ headers }: FastifyRequest): string | undefined =>
  /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];

export function refusalAnswer(operationType: string, { execCode, message }: Refusal): Answer {
  return { OPERATIONTYPE: operationType, EXECCODE: execCode, MESSAGE: message };
}

/** Returns `undefined` if the merchant's calls need an access token and this one has no valid one. */
function read(
  form: FormBody,
  merchant: Merchant | undefined,
  bearer: string | undefined,
  { accessTokens, books, takesUnlistedParameters: takesUnlisted }: ProcessParts,
): Order | Refusal | undefined {
  const refused = checkForm(form);
  if (refused !== undefined) return refused;
  if (merchant === undefined) return refusal('1002', 'IDENTIFIER');
  if (merchant.authAccount !== undefined && !accessTokens.isValid(bearer, merchant.authAccount)) return undefined;
  const rules = { nowMs: books.clock.nowMs(), takesUnlisted };
  return checkSignature(form.parameters, merchant) ?? readOrder(form.parameters, merchant, rules);
}

/** While an operation waits for its latency, others on the same initial transaction get 2017. */
async function aloneOnItsOrder<T>(
  { transactions }: Books,
  order: Order | Refusal | undefined,
  identifier: string | undefined,
  run: (isAlone: boolean) => Promise<T>,
): Promise<T> {
  const isFollowUp = order !== undefined && !isRefusal(order) && order.kind === 'followUp';
  const initialId = isFollowUp ? transactions.findOf(identifier ?? '', order.transactionId)?.initialId : undefined;
  if (initialId === undefined) return run(true);
  if (!transactions.occupy(initialId)) return run(false);
  try {
    return await run(true);
  } finally {
    transactions.release(initialId);
  }
}

/** If a fault rule matches, resets the connection when the first bytes of the body arrive. */
const resetWhileReading =
  ({ faults, books }: ProcessParts): onRequestHookHandler =>
  ({ raw }, reply, next) => {
    if (!faults.strikesUnread()) return next();
    books.ledger.received('', new Map()).answered = 'reset';
    reply.hijack();
    raw.once('data', () => raw.socket.resetAndDestroy());
  };

function executedAnswer(transaction: Transaction, execCode: string, merchant: Merchant, formAddress: string): Answer {
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

const ofAnotherOperation = (answer: Answer): Answer => ({
  ...answer,
  OPERATIONTYPE: answer.OPERATIONTYPE === 'capture' ? 'refund' : 'capture',
});

/** A comment behind the page fills it up. */
function withPageOf(bytes: number, answer: Answer): Answer {
  if (bytes === 0 || answer.REDIRECTHTML === undefined) return answer;
  const page = Buffer.from(answer.REDIRECTHTML, 'base64').toString();
  return { ...answer, REDIRECTHTML: Buffer.from(`${page}<!--${'x'.repeat(bytes)}-->`).toString('base64') };
}
