import type { FastifyInstance } from 'fastify';
import type { Faults } from '../control/faults.store.js';
import { allowAnyOrigin } from '../cse-keys/any-origin.controller.js';
import type { EncryptionKeys } from '../cse-keys/encryption-keys.store.js';
import { disturb } from '../process/disturbed-answer.controller.js';
import { disturbanceAfter, disturbanceBefore, latencyOf, pause } from '../process/interference.service.js';
import { refusal } from '../transactions/exec-codes.js';
import { refusalRecord, type Tokenizer } from './tokenizer.service.js';

interface TokenizerEdge {
  readonly tokenizer: Tokenizer;
  readonly encryptionKeys: EncryptionKeys;
  readonly faults: Faults;
  readonly latencyMs: readonly [number, number];
}

/** `POST /tokenizer {ENCRYPTEDDATA, ENCRYPTIONKEYID, APIKEYID}` answers HTTP 200 and a record with EXECCODE, also for refusals. */
export async function tokenizerController(
  server: FastifyInstance,
  { tokenizer, encryptionKeys, faults, latencyMs }: TokenizerEdge,
): Promise<void> {
  await server.register((scope, _options, done) => {
    scope.setErrorHandler((_error, _request, reply) => reply.code(200).send(refusalRecord(refusal('1005'))));
    allowAnyOrigin(scope, '/tokenizer');
    scope.get('/tokenizer', (_request, reply) => reply.send(refusalRecord(refusal('1006'))));
    scope.post('/tokenizer', async (request, reply) => {
      const { APIKEYID: apiKeyId } = (request.body ?? {}) as { APIKEYID?: unknown };
      const merchant = typeof apiKeyId === 'string' ? encryptionKeys.merchantOf(apiKeyId) : undefined;
      const fault = faults.ofCall({
        operation: 'tokenizer',
        merchant: merchant?.merchant,
        identifier: merchant?.identifier,
      });
      await pause(latencyOf(fault, latencyMs));
      const before = disturbanceBefore(fault);
      if (before) return disturb(request, reply, before);
      if (fault?.execCode !== undefined) return reply.send(refusalRecord(refusal(fault.execCode)));
      if (fault?.keyRotation && typeof apiKeyId === 'string') encryptionKeys.rotate({ apiKeyId });
      const record = await tokenizer.tokenize(request.body);
      const after = disturbanceAfter(fault, record);
      return after ? disturb(request, reply, after) : reply.header('cache-control', 'no-store').send(record);
    });
    done();
  });
}
