import type { EncryptionKeyRecord } from '@tranche/contracts';

/** A key that the provider gave. Times are monotonic, milliseconds, from before the provider was asked. */
export interface CachedKey {
  readonly record: EncryptionKeyRecord;
  /** The record as it goes to pages. */
  readonly answer: string;
  readonly freshUntilMs: number;
  /** Until then it is handed out if the provider gives none. */
  readonly staleUntilMs: number;
}

/** All that is known of the key of one API key id. */
export interface KeyState {
  key?: CachedKey;
  /** The call of the provider that is under way. */
  asking?: Promise<void>;
  /** In a row, since the provider gave a key last. */
  failures: number;
  /** The provider is left alone until then. */
  retryAtMs: number;
  /** When it was asked last because a page said that the key is refused. */
  refusalAskedAtMs: number;
}

/**
 * `cached`: the key as it is. `stale`: the same, though its life is over; `stale_and_refresh`: and the provider is asked beside it. `ask`: what the provider
 * says, or what is being asked already. `unavailable`: none.
 */
export type Choice = 'cached' | 'stale' | 'stale_and_refresh' | 'ask' | 'unavailable';

export interface KeyQuery {
  nowMs: number;
  /** The id of the key that a tokenizer refused, as the page says. */
  refused?: string;
  /** How long pages that say so have the provider asked once only. */
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

/** What a page that wants a key gets (docs/decisions/0026). */
export function chooseKey(state: KeyState, { nowMs, refused, refusalIntervalMs }: KeyQuery): Choice {
  const { key, failures, retryAtMs } = state;
  const isLeftAlone = nowMs < retryAtMs;
  if (isRefusalOf(key, refused)) {
    if (state.asking !== undefined) return 'ask';
    if (!isLeftAlone && nowMs - state.refusalAskedAtMs >= refusalIntervalMs) return 'ask';
    // What one page says takes the key from that page only.
    if (failures > 0) return 'unavailable';
  }
  if (key !== undefined && nowMs < key.freshUntilMs) return 'cached';
  const mayBeStale = mayServeStale(key, nowMs);
  if (isLeftAlone) return mayBeStale ? 'stale' : 'unavailable';
  return mayBeStale && failures > 0 ? 'stale_and_refresh' : 'ask';
}
