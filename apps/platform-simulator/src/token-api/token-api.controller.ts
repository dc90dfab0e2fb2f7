import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Faults } from '../control/faults.store.js';
import { disturb, unauthorized } from '../process/disturbed-answer.controller.js';
import { bearerOf } from '../process/process.controller.js';
import { disturbanceAfter, disturbanceBefore, latencyOf, pause } from '../process/interference.service.js';
import type { AccessTokens } from './access-tokens.store.js';
import type { Accounts } from './accounts.store.js';
import { readGrant, type OAuthError } from './grants.js';

interface TokenParts {
  readonly accounts: Accounts;
  readonly accessTokens: AccessTokens;
  readonly faults: Faults;
  readonly latencyMs: readonly [number, number];
}

/** The token API. It accepts only JSON, as the interface says, and refuses forms with a clear error. */
export async function tokenApiController(server: FastifyInstance, parts: TokenParts): Promise<void> {
  const { accounts, accessTokens, faults, latencyMs } = parts;
  await server.register((scope, _options, done) => {
    scope.setErrorHandler((_error, _request, reply) => sendError(reply, NOT_JSON));

    scope.post('/iam/token', async (request, reply) => {
      const fault = faults.ofCall({ operation: 'token' });
      await pause(latencyOf(fault, latencyMs));
      const before = disturbanceBefore(fault);
      if (before) return disturb(request, reply, before);
      const account = readGrant(request.body, accounts.all);
      if ('error' in account) return sendError(reply, account);
      const record = await accessTokens.issue(account);
      const after = disturbanceAfter(fault, record);
      return after ? disturb(request, reply, after) : reply.header('cache-control', 'no-store').send(record);
    });

    scope.get('/iam/realms/my', (request, reply) => {
      const account = accessTokens.find(bearerOf(request));
      if (account === undefined) return unauthorized(reply);
      return reply.send({ path: account.realm, name: account.realm.split('/').at(-1) });
    });

    scope.get('/iam/identities/my', (request, reply) => {
      const account = accessTokens.find(bearerOf(request));
      if (account === undefined) return unauthorized(reply);
      const type = account.grant === 'password' ? 'user' : 'technical';
      return reply.send({
        id: account.account,
        name: account.username ?? account.clientId,
        type,
        realm: account.realm,
      });
    });
    done();
  });
}

const NOT_JSON: OAuthError = { status: 400, error: 'invalid_request', description: 'The body must be a JSON object.' };

function sendError(reply: FastifyReply, { status, error, description }: OAuthError): FastifyReply {
  if (status === 401) void reply.header('www-authenticate', `Bearer realm="iam", error="${error}"`);
  return reply.code(status).header('cache-control', 'no-store').send({ error, error_description: description });
}
