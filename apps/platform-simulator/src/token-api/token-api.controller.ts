import type { FastifyInstance, FastifyReply } from 'fastify';
import { answerCall, send, UNAUTHORIZED, type Edge, type Result } from '../process/disturbance.js';
import { bearerOf } from '../process/process.controller.js';
import type { AccessTokens } from './access-tokens.store.js';
import type { Accounts } from './accounts.js';
import { readGrant, type OAuthError } from './grants.js';

interface TokenParts extends Edge {
  readonly accounts: Accounts;
  readonly accessTokens: AccessTokens;
}

/** The token API. It accepts only JSON, as the interface says, and refuses forms with a clear error. */
export async function tokenApiController(server: FastifyInstance, parts: TokenParts): Promise<void> {
  const { accounts, accessTokens } = parts;
  await server.register((scope, _options, done) => {
    scope.setErrorHandler((_error, _request, reply) => send(reply, errorOf(NOT_JSON)));

    scope.post('/iam/token', (request, reply) =>
      answerCall(parts, { request, reply, subject: { operation: 'token' } }, async () => {
        const account = readGrant(request.body, accounts.all);
        return 'error' in account
          ? errorOf(account)
          : { headers: { 'cache-control': 'no-store' }, body: await accessTokens.issue(account) };
      }),
    );

    scope.get('/iam/realms/my', (request, reply): FastifyReply => {
      const account = accessTokens.find(bearerOf(request));
      if (account === undefined) return send(reply, UNAUTHORIZED);
      return reply.send({ path: account.realm, name: account.realm.split('/').at(-1) });
    });

    scope.get('/iam/identities/my', (request, reply): FastifyReply => {
      const found = accessTokens.find(bearerOf(request));
      if (found === undefined) return send(reply, UNAUTHORIZED);
      const { account: id, username, clientId, grant, realm } = found;
      return reply.send({ id, name: username ?? clientId, type: grant === 'password' ? 'user' : 'technical', realm });
    });
    done();
  });
}

const NOT_JSON: OAuthError = { status: 400, error: 'invalid_request', description: 'The body must be a JSON object.' };

function errorOf({ status, error, description }: OAuthError): Result {
  const headers = {
    'cache-control': 'no-store',
    ...(status === 401 && { 'www-authenticate': `Bearer realm="iam", error="${error}"` }),
  };
  return { status, headers, body: { error, error_description: description } };
}
