import type { Account } from '../src/accounts.js';
import type { CachedToken } from '../src/token-api/cached-token.js';
import type { Refusal } from '../src/cache/refusal.js';

/** A cache with one entry and a lock that is always free. */
export class FakeCache {
  entry?: CachedToken;
  known?: Refusal;
  isAway = false;
  /** If true, writes fail and reads succeed. */
  isFull = false;
  reads = 0;
  onLock: () => void = () => undefined;

  namesOf({ account }: Account) {
    return { account };
  }
  get takesWrites() {
    return !this.isFull;
  }
  token() {
    this.reads++;
    return this.#answer(this.entry);
  }
  storeToken(_entry: unknown, token: CachedToken) {
    if (!this.isFull) this.entry = token;
    return this.#written(undefined);
  }
  dropToken(_entry: unknown, fingerprint: string, mayGo: (token: CachedToken) => boolean) {
    if (this.entry?.fingerprint !== fingerprint || !mayGo(this.entry)) return this.#answer(this.entry);
    if (!this.isFull) this.entry = undefined;
    return this.#written(this.entry);
  }
  lock() {
    this.onLock();
    return this.#written({ release: () => Promise.resolve() });
  }
  refusal() {
    return this.#answer(this.known);
  }
  storeRefusal(_entry: unknown, refusal: Refusal) {
    if (!this.isFull) this.known = refusal;
    return this.#written(undefined);
  }
  #written<T>(value: T): Promise<T> {
    return this.isFull ? Promise.reject(new Error('full')) : this.#answer(value);
  }
  #answer<T>(value: T): Promise<T> {
    return this.isAway ? Promise.reject(new Error('away')) : Promise.resolve(value);
  }
}
