import type { FastifyInstance } from 'fastify';
import type { Faults } from '../control/faults.store.js';
import { disturb } from '../process/disturbed-answer.controller.js';
import { disturbanceAfter, disturbanceBefore, latencyOf, pause } from '../process/interference.service.js';
import { allowAnyOrigin } from './any-origin.controller.js';
import type { EncryptionKeys } from './encryption-keys.store.js';
import { unfitRecord } from './unfit-keys.js';

interface CseKeyParts {
  readonly encryptionKeys: EncryptionKeys;
  readonly faults: Faults;
  readonly latencyMs: readonly [number, number];
}

/** `POST /cseKeys {apiKeyId}` answers the current key of a merchant's API key. */
export async function cseKeysController(
  server: FastifyInstance,
  { encryptionKeys, faults, latencyMs }: CseKeyParts,
): Promise<void> {
  await server.register((scope, _options, done) => {
    scope.setErrorHandler((_error, _request, reply) => reply.code(400).send({ error: 'invalid_request' }));
    allowAnyOrigin(scope, '/cseKeys');
    scope.post('/cseKeys', async (request, reply) => {
      const { body } = request;
      const apiKeyId = typeof body === 'object' && body !== null && 'apiKeyId' in body ? body.apiKeyId : undefined;
      const merchant = typeof apiKeyId === 'string' ? encryptionKeys.merchantOf(apiKeyId) : undefined;
      const fault = faults.ofCall({
        operation: 'cseKeys',
        merchant: merchant?.merchant,
        identifier: merchant?.identifier,
      });
      await pause(latencyOf(fault, latencyMs));
      const before = disturbanceBefore(fault);
      if (before) return disturb(request, reply, before);
      if (typeof apiKeyId !== 'string') return reply.code(400).send({ error: 'invalid_request' });
      const current = await encryptionKeys.current(apiKeyId);
      if (current === undefined) return reply.code(401).send({ error: 'unknown_api_key' });
      const record = fault?.encryptionKey === undefined ? current : await unfitRecord(fault.encryptionKey, current);
      if (fault?.keyRotation) encryptionKeys.rotate({ apiKeyId });
      const after = disturbanceAfter(fault, record);
      return after ? disturb(request, reply, after) : reply.send(record);
    });
    done();
  });
}
