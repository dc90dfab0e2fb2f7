import type { Merchants } from '@tranche/contracts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { EncryptionKeys } from '../cse-keys/encryption-keys.store.js';
import type { AccessTokens } from '../token-api/access-tokens.store.js';
import type { Accounts } from '../token-api/accounts.js';
import { maskedNumber } from '../transactions/card.js';
import { binOf, schemeOf } from '../transactions/card-bins.js';
import { isRefusal } from '../transactions/exec-codes.js';
import type { Books, Execution } from '../transactions/execution.service.js';
import { codeOfApproval } from '../transactions/state-machine.js';
import type { OperationType } from '../transactions/transaction.js';
import { exportOf, PLANTED, type Planted } from './export.js';
import { NOTIFICATION_MODES, readFaultRule, type Faults, type NotificationMode } from './faults.js';
import type { IssuedTokens } from './ledger.store.js';

interface ControlParts {
  readonly merchants: Merchants;
  readonly books: Books;
  readonly execution: Execution;
  readonly faults: Faults;
  readonly accounts: Accounts;
  readonly accessTokens: AccessTokens;
  readonly issuedTokens: IssuedTokens;
  readonly encryptionKeys: EncryptionKeys;
}

type OrderQuery = { Querystring: { identifier?: string; orderId?: string; orderPrefix?: string; state?: string } };

/** API for tests under `/simulator`. The real platform has nothing like it. */
export async function controlController(server: FastifyInstance, parts: ControlParts): Promise<void> {
  const { books, faults } = parts;
  await server.register((scope, _options, done) => {
    scope.setErrorHandler((_error, _request, reply) => wrong(reply, 'the body must be JSON'));

    scope.get<OrderQuery>('/simulator/ledger', ({ query }, reply) => reply.send(books.ledger.read(query)));
    scope.get<OrderQuery>('/simulator/notifications', ({ query }, reply) =>
      reply.send(books.notifications.list(query)),
    );
    scope.get<OrderQuery>('/simulator/forgeries', ({ query }, reply) =>
      reply.send(books.notifications.listForged(query)),
    );
    scope.get('/simulator/totals', (_request, reply) =>
      reply.send({ ...books.ledger.totals, ...books.notifications.totals }),
    );
    scope.get<{ Querystring: { identifier?: string; plant?: string } }>('/simulator/export', ({ query }, reply) => {
      const { identifier, plant = '' } = query;
      const planted = plant.split(',').filter((name) => name !== '');
      if (identifier === undefined || parts.merchants.byIdentifier(identifier) === undefined)
        return wrong(reply, 'identifier is unknown');
      if (!planted.every((name): name is Planted => (PLANTED as readonly string[]).includes(name)))
        return wrong(reply, `plant must be some of ${PLANTED.join(', ')}, comma-separated`);
      return reply.type('text/csv; charset=utf-8').send(exportOf(books.ledger, identifier, planted));
    });
    scope.post('/simulator/notifications/mode', ({ body }, reply) => {
      const { merchant, mode } = fieldsOf(body);
      if (typeof merchant !== 'string' || parts.merchants.byName(merchant) === undefined)
        return wrong(reply, 'merchant is unknown');
      if (!isMode(mode)) return wrong(reply, `mode must be one of ${NOTIFICATION_MODES.join(', ')}`);
      books.notifications.setMode(mode, merchant);
      return reply.send({ merchant, mode });
    });

    scope.post('/simulator/notifications/suppressed', ({ body }, reply) => {
      const { identifier, orderId, transactionId, times = 1 } = fieldsOf(body);
      if (typeof identifier !== 'string' || typeof orderId !== 'string')
        return wrong(reply, 'identifier and orderId are needed');
      if (transactionId !== undefined && typeof transactionId !== 'string')
        return wrong(reply, 'transactionId must be a text');
      if (times !== 1 && times !== 2) return wrong(reply, 'times must be 1 or 2');
      return reply.send({ sent: books.notifications.sendSuppressed({ identifier, orderId, transactionId }, times) });
    });

    scope.get('/simulator/faults', (_request, reply) => reply.send(faults.list()));
    scope.post('/simulator/faults', ({ body }, reply) => {
      const rule = readFaultRule(body);
      return 'wrong' in rule
        ? wrong(reply, `wrong: ${rule.wrong.join(', ')}`)
        : reply.code(201).send({ id: faults.add(rule) });
    });
    scope.delete('/simulator/faults', (_request, reply) => {
      faults.clear();
      return reply.code(204).send();
    });

    scope.delete<{ Params: { id: string } }>('/simulator/faults/:id', ({ params }, reply) => {
      faults.remove(params.id);
      return reply.code(204).send();
    });

    scope.post('/simulator/reset', (_request, reply) => {
      for (const part of [books.transactions, books.cardTokens, books.ledger, books.notifications, faults])
        part.clear();
      books.clock.reset();
      return reply.code(204).send();
    });
    clockRoutes(scope, parts);
    secretRoutes(scope, parts);
    transactionRoutes(scope, parts);
    done();
  });
}

function clockRoutes(scope: FastifyInstance, { books: { clock } }: ControlParts): void {
  const now = () => ({ now: clock.iso(), offsetSeconds: clock.offsetSeconds });
  scope.get('/simulator/clock', (_request, reply) => reply.send(now()));
  scope.post('/simulator/clock', ({ body }, reply) => {
    const { advanceSeconds, now: at } = fieldsOf(body);
    if (typeof advanceSeconds === 'number' && Number.isFinite(advanceSeconds)) clock.advance(advanceSeconds);
    else if (typeof at === 'string' && !Number.isNaN(Date.parse(at))) clock.setNow(Date.parse(at));
    else return wrong(reply, 'advanceSeconds (a number) or now (a time) is needed');
    return reply.send(now());
  });
}

function secretRoutes(
  scope: FastifyInstance,
  { accounts, accessTokens, issuedTokens, encryptionKeys }: ControlParts,
): void {
  scope.get('/simulator/issued-tokens', (_request, reply) => reply.send(issuedTokens));
  scope.delete<{ Querystring: { account?: string } }>('/simulator/access-tokens', ({ query }, reply) =>
    reply.send({ revoked: accessTokens.revoke(query.account) }),
  );
  scope.post('/simulator/accounts/secret', ({ body }, reply) => {
    const { account, clientSecret, password } = fieldsOf(body);
    const secret = clientSecret ?? password;
    if (secret !== undefined && (typeof secret !== 'string' || secret === ''))
      return wrong(reply, 'the secret must be a text');
    if (typeof account !== 'string' || !accounts.changeSecret(account, secret))
      return wrong(reply, 'account is unknown');
    return reply.send({ account });
  });
  scope.get('/simulator/cse-keys', (_request, reply) => reply.send(encryptionKeys.list()));
  scope.post('/simulator/cse-keys/rotate', ({ body }, reply) => {
    const { apiKeyId, keepPrevious = false } = fieldsOf(body);
    if (typeof keepPrevious !== 'boolean') return wrong(reply, 'keepPrevious must be true or false');
    if (apiKeyId !== undefined && encryptionKeys.merchantOf(apiKeyId) === undefined)
      return wrong(reply, 'apiKeyId is unknown');
    return reply.send({ encryptionKeyId: encryptionKeys.rotate(apiKeyId as string | undefined, keepPrevious) });
  });
}

function transactionRoutes(scope: FastifyInstance, { merchants, books, execution }: ControlParts): void {
  scope.post<{ Params: { transactionId: string } }>(
    '/simulator/transactions/:transactionId/decide',
    ({ params, body }, reply) => {
      const { decision } = fieldsOf(body);
      if (decision !== 'approve' && decision !== 'refuse') return wrong(reply, 'decision must be approve or refuse');
      const transaction = books.transactions.find(params.transactionId);
      const merchant = transaction && merchants.byIdentifier(transaction.identifier);
      if (transaction === undefined || merchant === undefined)
        return reply.code(404).send({ error: 'no such transaction' });
      if (!execution.settle(transaction, merchant, codeOfApproval(decision, transaction)))
        return reply.code(409).send({ error: 'not pending', execCode: transaction.execCode });
      return reply.send({ transactionId: transaction.transactionId, execCode: transaction.execCode });
    },
  );

  for (const [path, type, sources] of BACK_OFFICE)
    scope.post(path, ({ body }, reply) => {
      const { identifier, orderId, transactionId, amount } = fieldsOf(body);
      if (typeof identifier !== 'string' || typeof orderId !== 'string')
        return wrong(reply, 'identifier and orderId are needed');
      if (amount !== undefined && !(Number.isSafeInteger(amount) && Number(amount) > 0))
        return wrong(reply, 'amount must be a whole number');
      const merchant = merchants.byIdentifier(identifier);
      const reference = books.transactions
        .ofOrder(identifier, orderId)
        .find((one) =>
          transactionId === undefined
            ? one.state === 'succeeded' && sources.includes(one.operationType)
            : one.transactionId === transactionId,
        );
      if (merchant === undefined || reference === undefined)
        return reply.code(404).send({ error: `nothing to ${type}` });
      const made = execution.byBackOffice({ type, amount: amount as number | undefined }, reference, merchant);
      if (isRefusal(made)) return reply.code(409).send({ error: made.message, execCode: made.execCode });
      return reply.code(201).send({ transactionId: made.transaction.transactionId, amount: made.transaction.amount });
    });

  scope.post('/simulator/tokens', ({ body }, reply) => {
    const { identifier, cardCode = '4111111111111111', cardValidityDate = '12-49', cardFullName = '' } = fieldsOf(body);
    if (typeof identifier !== 'string' || merchants.byIdentifier(identifier) === undefined)
      return wrong(reply, 'identifier is unknown');
    const isCard =
      /^[0-9]{12,19}$/.test(String(cardCode)) && /^(0[1-9]|1[0-2])-[0-9]{2}$/.test(String(cardValidityDate));
    if (!isCard) return wrong(reply, 'cardCode or cardValidityDate is invalid');
    const card = { code: String(cardCode), validityDate: String(cardValidityDate), fullName: String(cardFullName) };
    const hfToken = books.cardTokens.issue(identifier, card);
    return reply
      .code(201)
      .send({ HFTOKEN: hfToken, CARDCODE: maskedNumber(card.code), CARDTYPE: schemeOf(binOf(card.code)) });
  });
}

/** Operations of the merchant's back office, and the operations that they may name. */
const BACK_OFFICE: readonly (readonly [path: string, type: 'capture' | 'refund', of: readonly OperationType[]])[] = [
  ['/simulator/captures', 'capture', ['authorization']],
  ['/simulator/refunds', 'refund', ['capture', 'payment']],
];

const wrong = (reply: FastifyReply, error: string) => reply.code(400).send({ error });

const fieldsOf = (body: unknown) => (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;

const isMode = (value: unknown): value is NotificationMode =>
  (NOTIFICATION_MODES as readonly unknown[]).includes(value);
