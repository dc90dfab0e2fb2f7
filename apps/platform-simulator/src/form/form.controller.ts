import type { Merchants } from '@tranche/contracts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { redirectAddress } from '../notifications/notification-parameters.js';
import { takeBodiesAsText } from '../process/process.controller.js';
import type { Execution } from '../transactions/execution.service.js';
import { codeOfDecision, isDecision } from '../transactions/state-machine.js';
import type { Transactions } from '../transactions/transactions.store.js';
import { choicePage, formPage, notFoundPage, resultPage } from './form-page.js';

interface FormParts {
  readonly merchants: Merchants;
  readonly transactions: Transactions;
  readonly execution: Execution;
}

/** `GET /form/:transactionId` shows the form; `POST` with `decision` completes it and redirects the cardholder to the merchant. */
export async function formController(
  server: FastifyInstance,
  { merchants, transactions, execution }: FormParts,
): Promise<void> {
  await server.register((scope, _options, done) => {
    takeBodiesAsText(scope);
    const find = (transactionId: string) => {
      const transaction = transactions.find(transactionId);
      const merchant = transaction && merchants.byIdentifier(transaction.identifier);
      // Only an initial transaction has a form; a capture has none.
      const hasForm = transaction?.transactionId === transaction?.initialId;
      return transaction && merchant && hasForm ? { transaction, merchant } : undefined;
    };

    scope.get<{ Params: { transactionId: string } }>('/form/:transactionId', (request, reply) => {
      const found = find(request.params.transactionId);
      if (found === undefined) return sendPage(reply, 404, notFoundPage());
      const { transaction, merchant } = found;
      if (transaction.state === 'redirected') return sendPage(reply, 200, formPage(transaction, merchant));
      return sendPage(reply, 200, resultPage(transaction, redirectAddress(transaction, merchant)));
    });

    scope.post<{ Params: { transactionId: string } }>('/form/:transactionId', (request, reply) => {
      const found = find(request.params.transactionId);
      if (found === undefined) return sendPage(reply, 404, notFoundPage());
      const { transaction, merchant } = found;
      const decision = new URLSearchParams(typeof request.body === 'string' ? request.body : '').get('decision');
      const code = isDecision(decision) ? codeOfDecision(decision, transaction) : undefined;
      if (transaction.state === 'redirected' && !execution.settle(transaction, merchant, code))
        return sendPage(reply, 400, choicePage());
      // A second submit changes nothing and redirects to the same address.
      const address = redirectAddress(transaction, merchant);
      return address === undefined
        ? sendPage(reply, 200, resultPage(transaction, undefined))
        : reply.redirect(address, 303);
    });
    done();
  });
}

function sendPage(reply: FastifyReply, status: number, html: string): FastifyReply {
  return reply
    .code(status)
    .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'")
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .type('text/html; charset=utf-8')
    .send(html);
}
