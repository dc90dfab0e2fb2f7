import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { parseJson, validateEncryptionKeyRecord, type EncryptionKeyRecord } from '@tranche/contracts';
import { ANSWER_HEADER_BYTES, injectTrace, Metrics, readingLegalHeads, withSpan } from '@tranche/service-kit';
import { Agent, buildConnector, request } from 'undici';
import { CseConfig } from '../cse.config.js';
import { fingerprintOf, publicKeyFault } from './public-key.js';

const MAX_ANSWER_BYTES = 16_384;

export interface ProvidedKey {
  record: EncryptionKeyRecord;
  fingerprint: string;
}

/** The provider's answer has a key that no page may encrypt with. */
export class UnsoundKeyError extends Error {
  constructor(
    message: string,
    readonly encryptionKeyId: string,
    readonly fingerprint?: string,
  ) {
    super(message);
  }
}

/** Calls {cse_keys_url} once, without redirects. A key that is not exactly as specified counts as no answer. */
@Injectable()
export class KeyProviderClient implements OnApplicationShutdown {
  readonly #agent: Agent;
  readonly #seconds;

  constructor(
    private readonly config: CseConfig,
    metrics: Metrics,
  ) {
    const { timeoutMs } = config;
    this.#agent = new Agent({
      connect: readingLegalHeads(buildConnector({ timeout: Math.min(1_000, timeoutMs) })),
      maxHeaderSize: ANSWER_HEADER_BYTES,
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

  /** @throws UnsoundKeyError, or an Error with the reason why there is no key */
  async askForKey(apiKeyId: string): Promise<ProvidedKey> {
    const askedAtMs = performance.now();
    const observe = (outcome: string) => this.#seconds.observe({ outcome }, (performance.now() - askedAtMs) / 1_000);
    try {
      const key = await withSpan('POST cseKeys', () => this.#post(apiKeyId));
      observe('given');
      return key;
    } catch (error) {
      observe(error instanceof UnsoundKeyError ? 'unsound' : 'failed');
      throw error;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#agent.close();
  }

  async #post(apiKeyId: string): Promise<ProvidedKey> {
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
      throw new Error(
        `not an encryption key record: ${faults.map(({ path, message }) => `${path} ${message}`).join(', ')}`,
      );
    const { encryptionKeyId, encryptionPublicKey } = value;
    const keyFault = publicKeyFault(encryptionPublicKey);
    if (keyFault !== undefined) throw new UnsoundKeyError(`encryptionPublicKey ${keyFault}`, encryptionKeyId);
    const fingerprint = fingerprintOf(encryptionPublicKey);
    if (this.config.keyPins?.has(fingerprint) === false)
      throw new UnsoundKeyError('the key is not one of CSE_KEY_PINS', encryptionKeyId, fingerprint);
    return { record: { encryptionKeyId, encryptionPublicKey }, fingerprint };
  }
}

/** The parser's own message would repeat parts of the answer. */
function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw new Error('the answer is not JSON');
  }
}
