import { randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { closeRedis, connectRedis, Health, Metrics, ServiceLogger, type RedisClient } from '@tranche/service-kit';
import type { Account } from './accounts.js';
import { AuthConfig } from './auth.config.js';
import { AuthEvents } from './auth-events.producer.js';
import { cacheEntryOf, type CacheEntry } from './cache-entry.js';
import { fingerprintOf, usableMs, type HeldToken } from './held-token.js';

export interface Lock {
  release(): Promise<void>;
}

export interface Refusal {
  code: string;
  detail: string;
  /** Milliseconds that it still counts. */
  leftMs: number;
}

/** Deletes only what is still there unchanged. */
const DELETE_IF_EQUAL = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";

/** Both at one moment: another token may be stored between two commands. */
const READ = "return {redis.call('get', KEYS[1]), redis.call('pttl', KEYS[1])}";

/** A command that takes longer counts as failed, and for so long nobody else is kept waiting. */
const ANSWER_MS = 1_000;

/**
 * Redis: `<prefix>token:<name>` = the sealed token, gone when it may no longer be handed out; `<prefix>lock:<name>` = who renews it now;
 * `<prefix>refusal:<name of the credentials>` = what the token API said of them. Rejects when Redis is away or slow.
 */
@Injectable()
export class TokenCache implements OnApplicationShutdown {
  readonly #redis: RedisClient;
  readonly #refusedEntries;
  readonly #entries = new Map<Account, CacheEntry>();
  /** The last envelope under a name that could not be used, so that each is told once. */
  readonly #told = new Map<string, string>();
  #awayUntilMs = 0;

  constructor(
    private readonly config: AuthConfig,
    private readonly log: ServiceLogger,
    health: Health,
    metrics: Metrics,
    private readonly events: AuthEvents,
  ) {
    this.#redis = connectRedis({ url: config.redisUrl, name: 'tokens', log, health });
    this.#refusedEntries = metrics.counter({
      name: 'auth_cache_entries_refused_total',
      help: 'Entries in Redis that were not used: sealed with a key that is not configured, or tampered with',
      labelNames: ['reason'],
    });
  }

  entryOf(account: Account): CacheEntry {
    let entry = this.#entries.get(account);
    if (entry === undefined) this.#entries.set(account, (entry = cacheEntryOf(account, this.config, Math.random())));
    return entry;
  }

  async read(entry: CacheEntry): Promise<HeldToken | undefined> {
    return (await this.#readToken(entry))?.token;
  }

  async store({ name }: CacheEntry, token: HeldToken): Promise<void> {
    const key = this.#key('token', name);
    const { accessToken, lifetimeMs, expiresAtMs } = token;
    const now = performance.now();
    const ttlMs = usableMs(token, now);
    if (ttlMs <= 0) return;
    // The rest of the life that lies behind the entry's own: what remains then is rest + time to live, on Redis' clock.
    const restMs = expiresAtMs - now - ttlMs;
    await this.#set(key, JSON.stringify({ accessToken, lifetimeMs, restMs }), ttlMs);
  }

  /** Drops the token that is reported as refused, and only that one: somebody may have renewed it meanwhile, then the new one is the answer. */
  async drop(entry: CacheEntry, fingerprint: string): Promise<HeldToken | undefined> {
    const found = await this.#readToken(entry);
    if (found === undefined) return undefined;
    if (found.token.fingerprint !== fingerprint) return found.token;
    if (await this.#deleteIfEqual(this.#key('token', entry.name), found.envelope)) {
      const { account } = entry;
      this.log.info({ account, fingerprint }, 'a refused token was dropped');
      this.events.announce('auth.token.invalidated', { account, fingerprint, reason: 'reported as refused' });
    }
    return undefined;
  }

  /** Undefined while somebody else has it. It ends by itself, so that a dead holder holds nobody up for long. */
  async lock({ name }: CacheEntry, lifetimeMs: number): Promise<Lock | undefined> {
    const key = this.#key('lock', name);
    const holder = randomUUID();
    const setting = this.#redis.set(key, holder, { condition: 'NX', expiration: { type: 'PX', value: lifetimeMs } });
    const release = async () => void (await this.#redis.eval(DELETE_IF_EQUAL, { keys: [key], arguments: [holder] }));
    try {
      return (await this.#inTime(setting)) === null ? undefined : { release };
    } catch (error) {
      // It may still be set after we gave up waiting: nobody should wait for us then.
      void setting.then(release).catch(() => this.log.debug({}, 'a lock that came too late ends by itself'));
      throw error;
    }
  }

  async refusal(entry: CacheEntry): Promise<Refusal | undefined> {
    const key = this.#key('refusal', entry.credentialsName);
    const found = await this.#open(entry, key);
    if (found === undefined) return undefined;
    const { code, detail } = JSON.parse(found.text) as Refusal;
    return { code, detail, leftMs: found.ttlMs };
  }

  async storeRefusal({ credentialsName }: CacheEntry, { code, detail, leftMs }: Refusal): Promise<void> {
    await this.#set(this.#key('refusal', credentialsName), JSON.stringify({ code, detail }), leftMs);
  }

  async onApplicationShutdown(): Promise<void> {
    await closeRedis(this.#redis);
  }

  async #readToken(entry: CacheEntry): Promise<{ token: HeldToken; envelope: string } | undefined> {
    const askedAtMs = performance.now();
    const found = await this.#open(entry, this.#key('token', entry.name));
    if (found === undefined) return undefined;
    const { accessToken, lifetimeMs, restMs } = JSON.parse(found.text) as { accessToken: string; lifetimeMs: number; restMs: number };
    const expiresAtMs = askedAtMs + found.ttlMs + restMs;
    return { token: { accessToken, fingerprint: fingerprintOf(accessToken), lifetimeMs, expiresAtMs }, envelope: found.envelope };
  }

  async #open(entry: CacheEntry, key: string): Promise<{ text: string; ttlMs: number; envelope: string } | undefined> {
    const [envelope, ttlMs] = (await this.#inTime(this.#redis.eval(READ, { keys: [key] }))) as [string | null, number];
    if (typeof envelope !== 'string' || ttlMs <= 0) return undefined;
    const opened = this.config.keys.open(envelope, key);
    if ('text' in opened) return { text: opened.text, ttlMs, envelope };
    await this.#refuse(entry, key, envelope, opened.fault);
    return undefined;
  }

  /** Of an unknown key: another replica's, or of before; it will be overwritten. Tampered with: taken away, and who took it away raises it. */
  async #refuse({ account }: CacheEntry, key: string, envelope: string, reason: 'unknown_key' | 'tampered'): Promise<void> {
    if (reason === 'tampered') {
      if (!(await this.#deleteIfEqual(key, envelope))) return;
      this.log.error({ account, entry: key }, 'a cached entry was changed or comes from another account: it is refused and was taken away');
      this.events.announce('auth.entry.tampered', { account, reason: 'a cached entry was changed or comes from another account' });
    } else {
      if (this.#told.get(key) === envelope) return;
      this.#told.set(key, envelope);
      this.log.warn(
        { account, keyId: this.config.keys.keyId },
        'a cached entry was sealed with a key that is not configured: it is not used',
      );
    }
    this.#refusedEntries.inc({ reason });
  }

  async #set(key: string, text: string, ttlMs: number): Promise<void> {
    await this.#inTime(this.#redis.set(key, this.config.keys.seal(text, key), { expiration: { type: 'PX', value: ttlMs } }));
  }

  async #deleteIfEqual(key: string, value: string): Promise<boolean> {
    return (await this.#inTime(this.#redis.eval(DELETE_IF_EQUAL, { keys: [key], arguments: [value] }))) === 1;
  }

  async #inTime<T>(command: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.#awayUntilMs = performance.now() + ANSWER_MS;
        reject(new Error(`Redis gave no answer for ${ANSWER_MS} ms`));
      }, this.#answerMs);
    });
    try {
      return await Promise.race([command, tooLate]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** After a command that was not answered the next ones are given little time, until one may be waited for again. */
  get #answerMs(): number {
    return performance.now() < this.#awayUntilMs ? ANSWER_MS / 50 : ANSWER_MS;
  }

  #key(kind: 'token' | 'lock' | 'refusal', name: string): string {
    return `${this.config.redisKeyPrefix}${kind}:${name}`;
  }
}
