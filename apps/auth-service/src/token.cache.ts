import { randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { closeRedis, connectRedis, Health, ServiceLogger, type RedisClient } from '@tranche/service-kit';
import { AuthConfig } from './auth.config.js';
import { usableMs, type HeldToken } from './held-token.js';
import type { TokenKeys } from './token-keys.js';

export interface Lock {
  release(): Promise<void>;
}

/** Deletes only what is still there unchanged. */
const DELETE_IF_EQUAL = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";

/** Both at one moment: another token may be stored between two commands. */
const READ = "return {redis.call('get', KEYS[1]), redis.call('pttl', KEYS[1])}";

/**
 * Redis: `<prefix>token:<name>` = the sealed token, gone when it may no longer be handed out; `<prefix>lock:<name>` = who renews it now.
 * Rejects when Redis is away.
 */
@Injectable()
export class TokenCache implements OnApplicationShutdown {
  readonly #redis: RedisClient;
  readonly #keys: TokenKeys;
  readonly #prefix: string;

  constructor(
    config: AuthConfig,
    private readonly log: ServiceLogger,
    health: Health,
  ) {
    this.#redis = connectRedis({ url: config.redisUrl, name: 'tokens', log, health });
    this.#keys = config.keys;
    this.#prefix = config.redisKeyPrefix;
  }

  async read(name: string): Promise<HeldToken | undefined> {
    return (await this.#readEntry(name))?.token;
  }

  async store(name: string, token: HeldToken): Promise<void> {
    const key = this.#entryKey(name);
    const { accessToken, lifetimeMs, expiresAtMs } = token;
    const now = performance.now();
    const ttlMs = usableMs(token, now);
    if (ttlMs <= 0) return;
    // The rest of the life that lies behind the entry's own: what remains then is rest + time to live, on Redis' clock.
    const restMs = expiresAtMs - now - ttlMs;
    await this.#redis.set(key, this.#keys.seal(JSON.stringify({ accessToken, lifetimeMs, restMs }), key), {
      expiration: { type: 'PX', value: ttlMs },
    });
  }

  /** Drops the token that is reported as refused, and only that one: somebody may have renewed it meanwhile. */
  async drop(name: string, fingerprint: string): Promise<boolean> {
    const entry = await this.#readEntry(name);
    if (entry === undefined || this.#keys.fingerprint(entry.token.accessToken) !== fingerprint) return false;
    return (await this.#redis.eval(DELETE_IF_EQUAL, { keys: [this.#entryKey(name)], arguments: [entry.envelope] })) === 1;
  }

  /** Undefined while somebody else has it. It ends by itself, so that a dead holder holds nobody up for long. */
  async lock(name: string, lifetimeMs: number): Promise<Lock | undefined> {
    const key = `${this.#prefix}lock:${name}`;
    const holder = randomUUID();
    const isMine = await this.#redis.set(key, holder, { condition: 'NX', expiration: { type: 'PX', value: lifetimeMs } });
    if (isMine === null) return undefined;
    return { release: async () => void (await this.#redis.eval(DELETE_IF_EQUAL, { keys: [key], arguments: [holder] })) };
  }

  async onApplicationShutdown(): Promise<void> {
    await closeRedis(this.#redis);
  }

  async #readEntry(name: string): Promise<{ token: HeldToken; envelope: string } | undefined> {
    const key = this.#entryKey(name);
    const askedAtMs = performance.now();
    const [envelope, ttlMs] = (await this.#redis.eval(READ, { keys: [key] })) as [string | null, number];
    if (typeof envelope !== 'string' || ttlMs <= 0) return undefined;
    const text = this.#keys.open(envelope, key);
    if (text === undefined) {
      this.log.warn({ keyId: this.#keys.keyId }, 'a cached token was sealed with another key, or was changed: it is not used');
      return undefined;
    }
    const { accessToken, lifetimeMs, restMs } = JSON.parse(text) as { accessToken: string; lifetimeMs: number; restMs: number };
    return { token: { accessToken, lifetimeMs, expiresAtMs: askedAtMs + ttlMs + restMs }, envelope };
  }

  #entryKey(name: string): string {
    return `${this.#prefix}token:${name}`;
  }
}
