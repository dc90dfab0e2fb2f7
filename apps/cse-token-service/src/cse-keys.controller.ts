import { Body, Controller, Header, HttpCode, Post } from '@nestjs/common';
import type { EncryptionKeyRecord } from '@tranche/contracts';
import { Problem } from '@tranche/service-kit';
import { CseConfig } from './cse.config.js';
import { EncryptionKeyService } from './encryption-key.service.js';
import { readKeyRequest } from './key-request.js';

@Controller('v1/cse-keys')
export class CseKeysController {
  readonly #apiKeyIds: ReadonlySet<string>;

  constructor(
    config: CseConfig,
    private readonly keys: EncryptionKeyService,
  ) {
    this.#apiKeyIds = new Set(config.merchants.all.flatMap(({ apiKeys = [] }) => apiKeys.map(({ id }) => id)));
  }

  @Post()
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  async key(@Body() body: unknown): Promise<EncryptionKeyRecord> {
    const apiKeyId = readKeyRequest(body);
    if (this.#apiKeyIds.has(apiKeyId)) return this.keys.key(apiKeyId);
    throw new Problem({ status: 403, code: 'unknown_api_key', detail: 'This apiKeyId is not configured.' });
  }
}
