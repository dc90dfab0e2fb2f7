import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { validateEncryptionKeyRecord, type EncryptionKeyRecord } from '@tranche/contracts';
import { injectTrace, Metrics, Problem, reasonOf, ServiceLogger, withSpan } from '@tranche/service-kit';
import { Agent, request } from 'undici';
import { CseConfig } from './cse.config.js';
import { publicKeyFault } from './public-key.js';

const MAX_ANSWER_BYTES = 16_384;
const RETRY_AFTER_SECONDS = 5;

/** {cse_keys_url}: one call, no redirect; a key that is not exactly what it must be counts as no answer. */
@Injectable()
export class KeyProviderClient implements OnApplicationShutdown {
  readonly #agent: Agent;
  readonly #seconds;

  constructor(
    private readonly config: CseConfig,
    private readonly log: ServiceLogger,
    metrics: Metrics,
  ) {
    const { timeoutMs } = config;
    this.#agent = new Agent({
      connect: { timeout: Math.min(1_000, timeoutMs) },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      maxResponseSize: MAX_ANSWER_BYTES,
    });
    this.#seconds = metrics.histogram({
      name: 'cse_key_provider_seconds',
      help: 'Calls of the key provider, by outcome',
      labelNames: ['outcome'],
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    });
  }

  async askForKey(apiKeyId: string): Promise<EncryptionKeyRecord> {
    const askedAtMs = performance.now();
    try {
      const record = await withSpan('POST cseKeys', () => this.#post(apiKeyId));
      this.#observe('given', askedAtMs);
      this.log.info({ apiKeyId, encryptionKeyId: record.encryptionKeyId }, 'encryption key fetched');
      return record;
    } catch (error) {
      this.#observe('failed', askedAtMs);
      this.log.warn({ apiKeyId, reason: reasonOf(error) }, 'the key provider gave no key');
      throw new Problem({
        status: 503,
        code: 'key_unavailable',
        detail: 'The encryption key cannot be had now. Try again later.',
        headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
        cause: error,
      });
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#agent.close();
  }

  async #post(apiKeyId: string): Promise<EncryptionKeyRecord> {
    const { statusCode, body } = await request(this.config.keysUrl, {
      method: 'POST',
      dispatcher: this.#agent,
      signal: AbortSignal.timeout(this.config.timeoutMs),
      headers: injectTrace({ 'content-type': 'application/json', accept: 'application/json' }),
      body: JSON.stringify({ apiKeyId }),
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`HTTP ${statusCode}`);
    const { value, faults } = validateEncryptionKeyRecord(jsonOf(text));
    if (value === undefined)
      throw new Error(`not an encryption key record: ${faults.map(({ path, message }) => `${path} ${message}`).join(', ')}`);
    const keyFault = publicKeyFault(value.encryptionPublicKey);
    if (keyFault !== undefined) throw new Error(`encryptionPublicKey ${keyFault}`);
    return { encryptionKeyId: value.encryptionKeyId, encryptionPublicKey: value.encryptionPublicKey };
  }

  #observe(outcome: 'given' | 'failed', askedAtMs: number): void {
    this.#seconds.observe({ outcome }, (performance.now() - askedAtMs) / 1_000);
  }
}

/** The parser's own message would repeat parts of the answer. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('the answer is not JSON');
  }
}
