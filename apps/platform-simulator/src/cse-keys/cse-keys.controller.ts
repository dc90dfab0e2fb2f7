import { generateKeyPair, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import type { Merchants } from '@tranche/contracts';
import type { FastifyInstance } from 'fastify';
import type { Faults } from '../control/faults.store.js';
import { disturb } from '../process/disturbed-answer.controller.js';
import { disturbanceAfter, disturbanceBefore, latencyOf, pause } from '../process/interference.service.js';

interface CseKeyParts {
  readonly merchants: Merchants;
  readonly faults: Faults;
  readonly latencyMs: readonly [number, number];
}

/** `POST /cseKeys {apiKeyId}`: the one RSA key of this process, to those whose API key is a merchant's. */
export async function cseKeysController(server: FastifyInstance, { merchants, faults, latencyMs }: CseKeyParts): Promise<void> {
  const apiKeyIds = new Set(merchants.all.flatMap(({ apiKeys = [] }) => apiKeys.map(({ id }) => id)));
  const encryptionKeyId = randomUUID();
  const pair = promisify(generateKeyPair)('rsa', { modulusLength: 2048, publicExponent: 65_537 });
  const publicKey = pair.then(({ publicKey: key }) => key.export({ type: 'spki', format: 'der' }).toString('base64'));

  await server.register((scope, _options, done) => {
    scope.setErrorHandler((_error, _request, reply) => reply.code(400).send({ error: 'invalid_request' }));
    // The page of any merchant asks from the cardholder's browser.
    scope.addHook('onRequest', (_request, reply, next) => {
      reply.header('access-control-allow-origin', '*');
      next();
    });
    scope.options('/cseKeys', (_request, reply) =>
      reply
        .code(204)
        .headers({
          'access-control-allow-methods': 'POST',
          'access-control-allow-headers': 'content-type, accept',
          'access-control-max-age': '600',
        })
        .send(),
    );
    scope.post('/cseKeys', async (request, reply) => {
      const fault = faults.ofCall({ operation: 'cseKeys' });
      await pause(latencyOf(fault, latencyMs));
      const before = disturbanceBefore(fault);
      if (before) return disturb(request, reply, before);
      const { body } = request;
      const apiKeyId = typeof body === 'object' && body !== null && 'apiKeyId' in body ? body.apiKeyId : undefined;
      if (typeof apiKeyId !== 'string') return reply.code(400).send({ error: 'invalid_request' });
      if (!apiKeyIds.has(apiKeyId)) return reply.code(401).send({ error: 'unknown_api_key' });
      const record = { encryptionKeyId, encryptionPublicKey: await publicKey };
      const after = disturbanceAfter(fault, record);
      return after ? disturb(request, reply, after) : reply.send(record);
    });
    done();
  });
}
