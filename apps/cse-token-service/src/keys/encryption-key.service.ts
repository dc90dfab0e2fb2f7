import { Injectable } from '@nestjs/common';
import { backOffMs, secondsToWait } from '@tranche/runtime';
import { Metrics, Problem } from '@tranche/service-kit';
import { CseConfig } from '../cse.config.js';
import { chooseKey, isRefusalOf, mayServeStale, newKeyState, type KeyState } from './key-choice.js';
import { KeyChangeReporter } from './key-change-reporter.service.js';
import { KeyProviderClient, UnsoundKeyError, type ProvidedKey } from '../key-provider/key-provider.client.js';
import { KnownKeys } from './known-keys.store.js';

const MAX_BACK_OFF_FACTOR = 16;
const MAX_RETRY_AFTER_SECONDS = 60;

/** Keys for pages: cached for their lifetime, served a bounded time longer while the provider gives none, and then dropped. */
@Injectable()
export class EncryptionKeyService {
  readonly #states = new Map<string, KeyState>();
  readonly #served;

  constructor(
    private readonly config: CseConfig,
    private readonly provider: KeyProviderClient,
    private readonly known: KnownKeys,
    private readonly changes: KeyChangeReporter,
    metrics: Metrics,
  ) {
    this.#served = metrics.counterFromZero({
      name: 'cse_keys_served_total',
      help: 'Answers to pages that want a key: from the cache, from the provider, stale because the provider gives none, or none',
      labels: { source: ['cache', 'provider', 'stale', 'none'] },
    });
  }

  /** Only for configured ids, which bounds the cache. Returns synchronously if the key is cached; throws or rejects with Problem 503. */
  answer({ apiKeyId, refused }: { apiKeyId: string; refused?: string }): string | Promise<string> {
    const state = this.#stateOf(apiKeyId);
    const query = { nowMs: performance.now(), refused, refusalIntervalMs: this.config.refusedIntervalMs };
    switch (chooseKey(state, query)) {
      case 'cached':
        return this.#serve('cache', state);
      case 'stale_and_refresh':
        void this.#ask(apiKeyId, state);
        return this.#serve('stale', state);
      case 'stale':
        return this.#serve('stale', state);
      case 'ask':
        return this.#answerOfProvider(apiKeyId, state, refused);
      case 'unavailable':
        throw this.#unavailable(state);
    }
  }

  async #answerOfProvider(apiKeyId: string, state: KeyState, refused: string | undefined): Promise<string> {
    const isRefusal = isRefusalOf(state.key, refused);
    if (isRefusal && state.asking === undefined) state.refusalAskedAtMs = performance.now();
    await this.#ask(apiKeyId, state);
    if (state.failures === 0) return this.#serve('provider', state);
    if (!isRefusal && mayServeStale(state.key, performance.now())) return this.#serve('stale', state);
    throw this.#unavailable(state);
  }

  /** Concurrent callers share one call. Never rejects; the result is in the state. */
  #ask(apiKeyId: string, state: KeyState): Promise<void> {
    state.asking ??= this.#fetch(apiKeyId, state).finally(() => (state.asking = undefined));
    return state.asking;
  }

  async #fetch(apiKeyId: string, state: KeyState): Promise<void> {
    const freshUntilMs = performance.now() + this.config.keyLifetimeMs;
    try {
      const key = await this.provider.askForKey(apiKeyId);
      await this.#admit(apiKeyId, key);
      const answer = JSON.stringify(key.record);
      state.key = { record: key.record, answer, freshUntilMs, staleUntilMs: freshUntilMs + this.config.staleMs };
      state.failures = 0;
      state.retryAtMs = 0;
    } catch (error) {
      const nowMs = performance.now();
      const { backOffMs: firstMs } = this.config;
      state.failures++;
      state.retryAtMs = nowMs + backOffMs(state.failures, { firstMs, maxMs: firstMs * MAX_BACK_OFF_FACTOR });
      const staleForMs = mayServeStale(state.key, nowMs) ? Math.round(state.key.staleUntilMs - nowMs) : 0;
      this.changes.notGiven(apiKeyId, error, { staleKeyId: state.key?.record.encryptionKeyId, staleForMs });
    }
  }

  /** Rejects other bytes under a known id. A new id is accepted as a rotation, because an attacker's key with a new id looks the same. */
  async #admit(apiKeyId: string, key: ProvidedKey): Promise<void> {
    const { fingerprint, beforeId } = await this.known.remember(apiKeyId, key.record, key.fingerprint);
    if (fingerprint !== key.fingerprint) {
      const reason = 'the key id stands for other bytes than those that it came with first';
      throw new UnsoundKeyError(reason, key.record.encryptionKeyId, key.fingerprint);
    }
    this.changes.given(apiKeyId, key, beforeId);
  }

  #serve(source: 'cache' | 'provider' | 'stale', { key }: KeyState): string {
    if (key === undefined) throw new Error('there is no key to serve');
    this.#served.inc({ source });
    return key.answer;
  }

  #unavailable({ retryAtMs, refusalAskedAtMs }: KeyState): Problem {
    this.#served.inc({ source: 'none' });
    const againInMs = Math.max(retryAtMs, refusalAskedAtMs + this.config.refusedIntervalMs) - performance.now();
    const seconds = Math.min(MAX_RETRY_AFTER_SECONDS, secondsToWait(againInMs));
    return new Problem({
      status: 503,
      code: 'key_unavailable',
      detail: 'The encryption key cannot be had now. Try again later.',
      headers: { 'retry-after': String(seconds) },
    });
  }

  #stateOf(apiKeyId: string): KeyState {
    const known = this.#states.get(apiKeyId);
    if (known !== undefined) return known;
    const state = newKeyState();
    this.#states.set(apiKeyId, state);
    return state;
  }
}
