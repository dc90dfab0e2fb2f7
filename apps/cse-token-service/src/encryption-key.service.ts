import { Injectable } from '@nestjs/common';
import type { EncryptionKeyRecord } from '@tranche/contracts';
import { Metrics } from '@tranche/service-kit';
import { CseConfig } from './cse.config.js';
import { KeyProviderClient } from './key-provider.client.js';

interface CachedKey {
  record: EncryptionKeyRecord;
  /** Monotonic, from before the provider was asked. */
  freshUntilMs: number;
}

/** The key of an API key id: as the provider gave it a moment ago, or asked for once however many want it. Failures are not kept. */
@Injectable()
export class EncryptionKeyService {
  readonly #keys = new Map<string, CachedKey>();
  readonly #fetches = new Map<string, Promise<EncryptionKeyRecord>>();
  readonly #served;

  constructor(
    private readonly config: CseConfig,
    private readonly provider: KeyProviderClient,
    metrics: Metrics,
  ) {
    this.#served = metrics.counter({
      name: 'cse_keys_served_total',
      help: 'Encryption keys asked for, by where they came from',
      labelNames: ['source'],
    });
  }

  /** Only for configured ids: that bounds the cache. */
  async key(apiKeyId: string): Promise<EncryptionKeyRecord> {
    const cached = this.#keys.get(apiKeyId);
    if (cached !== undefined && performance.now() < cached.freshUntilMs) {
      this.#served.inc({ source: 'cache' });
      return cached.record;
    }
    this.#served.inc({ source: 'provider' });
    const running = this.#fetches.get(apiKeyId);
    if (running !== undefined) return running;
    const fetching = this.#fetch(apiKeyId).finally(() => this.#fetches.delete(apiKeyId));
    this.#fetches.set(apiKeyId, fetching);
    return fetching;
  }

  async #fetch(apiKeyId: string): Promise<EncryptionKeyRecord> {
    const freshUntilMs = performance.now() + this.config.keyLifetimeMs;
    const record = await this.provider.askForKey(apiKeyId);
    this.#keys.set(apiKeyId, { record, freshUntilMs });
    return record;
  }
}
