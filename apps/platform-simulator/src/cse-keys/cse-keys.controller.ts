import type { FastifyInstance } from 'fastify';
import { answerCall, type Edge } from '../process/disturbance.js';
import type { EncryptionKeys } from './encryption-keys.store.js';

interface CseKeyParts extends Edge {
  readonly encryptionKeys: EncryptionKeys;
}

/** `POST /cseKeys {apiKeyId}` answers the current key of a merchant's API key. */
export async function cseKeysController(server: FastifyInstance, parts: CseKeyParts): Promise<void> {
  const { encryptionKeys } = parts;
  await server.register((scope, _options, done) => {
    scope.setErrorHandler((_error, _request, reply) => reply.code(400).send({ error: 'invalid_request' }));
    allowAnyOrigin(scope, '/cseKeys');
    scope.post('/cseKeys', (request, reply) => {
      const { apiKeyId } = (request.body ?? {}) as { apiKeyId?: unknown };
      const { merchant, identifier } = encryptionKeys.merchantOf(apiKeyId) ?? {};
      const subject = { operation: 'cseKeys', merchant, identifier };
      return answerCall(parts, { request, reply, subject }, async () => {
        if (typeof apiKeyId !== 'string') return { status: 400, body: { error: 'invalid_request' } };
        const body = await encryptionKeys.current(apiKeyId);
        return body === undefined ? { status: 401, body: { error: 'unknown_api_key' } } : { body };
      });
    });
    done();
  });
}

/** Sets CORS headers for any origin: the pages of all merchants call this path from the browser. */
export function allowAnyOrigin(scope: FastifyInstance, path: string): void {
  scope.addHook('onRequest', (_request, reply, next) => {
    reply.header('access-control-allow-origin', '*');
    next();
  });
  const allowed = {
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'content-type, accept',
    'access-control-max-age': '600',
  };
  scope.options(path, (_request, reply) => reply.code(204).headers(allowed).send());
}
