import type { EncryptionKeyRecord } from '@tranche/contracts';

/** A key from the provider. Times are monotonic milliseconds, counted from before the request. */
export interface CachedKey {
  readonly record: EncryptionKeyRecord;
  /** The record as JSON for pages. */
  readonly answer: string;
  readonly freshUntilMs: number;
  /** The key is served until then while the provider gives none. */
  readonly staleUntilMs: number;
}

export interface KeyState {
  key?: CachedKey;
  asking?: Promise<void>;
  /** Consecutive failures since the provider last gave a key. */
  failures: number;
  /** The provider is not asked before this time. */
  retryAtMs: number;
  /** Time of the last request that was caused by a page's report of a refused key. */
  refusalAskedAtMs: number;
}

/**
 * `cached`: serve the key. `stale`: serve it although its lifetime is over; `stale_and_refresh`: also ask the provider in the background.
 * `ask`: wait for the provider, or for the call in progress. `unavailable`: serve none.
 */
type Choice = 'cached' | 'stale' | 'stale_and_refresh' | 'ask' | 'unavailable';

interface KeyQuery {
  nowMs: number;
  /** Id of the key that a tokenizer refused, as reported by the page. */
  refused?: string;
  /** Minimum milliseconds between two provider calls that such reports cause. */
  refusalIntervalMs: number;
}

export function newKeyState(): KeyState {
  return { failures: 0, retryAtMs: 0, refusalAskedAtMs: Number.NEGATIVE_INFINITY };
}

export function isRefusalOf(key: CachedKey | undefined, refused: string | undefined): boolean {
  return key !== undefined && refused === key.record.encryptionKeyId;
}

export function mayServeStale(key: CachedKey | undefined, nowMs: number): key is CachedKey {
  return key !== undefined && nowMs < key.staleUntilMs;
}

/** Decides the answer for a page (docs/decisions/0027). */
export function chooseKey(state: KeyState, { nowMs, refused, refusalIntervalMs }: KeyQuery): Choice {
  const { key, failures, retryAtMs } = state;
  const isLeftAlone = nowMs < retryAtMs;
  if (isRefusalOf(key, refused)) {
    if (state.asking !== undefined) return 'ask';
    if (!isLeftAlone && nowMs - state.refusalAskedAtMs >= refusalIntervalMs) return 'ask';
    // A page's report withholds the key from that page only.
    if (failures > 0) return 'unavailable';
  }
  if (key !== undefined && nowMs < key.freshUntilMs) return 'cached';
  const mayBeStale = mayServeStale(key, nowMs);
  if (isLeftAlone) return mayBeStale ? 'stale' : 'unavailable';
  return mayBeStale && failures > 0 ? 'stale_and_refresh' : 'ask';
}
