import { randomUUID } from 'node:crypto';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Health, InjectRedis, ServiceLogger, type RedisClient } from '@tranche/service-kit';
import { reasonOf, within } from '@tranche/runtime';
import { AuthConfig } from '../auth.config.js';

export interface Lock {
  release(): Promise<void>;
}

export interface StoredEntry {
  /** Empty if the value is no text; this service did not write it then. */
  value: string;
  ttlMs: number;
}

const GET_TEXT = "local value = redis.pcall('get', KEYS[1]) if type(value) == 'table' then value = '' end";
/** Reads both at one moment, because another token may be stored between two commands. */
const READ = `${GET_TEXT} return {value, redis.call('pttl', KEYS[1])}`;
const DELETE_IF_EQUAL = `${GET_TEXT} if value == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`;
const EXTEND_IF_EQUAL =
  "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0";

/** Lifetime of a lock whose holder died. Must exceed the time to set or extend it (REDIS_ANSWER_MS). */
const LOCK_MS = 5_000;
const EXTEND_LOCK_MS = 1_000;
const TRY_WRITING_AGAIN_MS = 1_000;

/**
 * Texts in Redis with a time to live, and locks. Rejects if Redis is down, slow, or takes no writes (replica, full memory, full disk). The
 * service is then not ready, and writing is retried until it succeeds.
 */
@Injectable()
export class EntryStore implements OnApplicationShutdown {
  #awayUntilMs = 0;
  #writeFault?: string;
  #nextTry?: NodeJS.Timeout;

  constructor(
    @InjectRedis() private readonly redis: RedisClient,
    @Inject(AuthConfig) private readonly config: Pick<AuthConfig, 'redisKeyPrefix' | 'redisAnswerMs'>,
    private readonly log: ServiceLogger,
    health: Health,
  ) {
    health.addReadiness('redis-tokens-writes', () => this.#writeFault && `Redis takes no writes: ${this.#writeFault}`);
  }

  get takesWrites(): boolean {
    return this.#writeFault === undefined;
  }

  async read(key: string): Promise<StoredEntry | undefined> {
    const [value, ttlMs] = (await this.#inTime(this.redis.eval(READ, { keys: [key] }))) as [string | null, number];
    return value === null ? undefined : { value, ttlMs };
  }

  async set(key: string, value: string, ttlMs: number): Promise<void> {
    await this.#written(this.redis.set(key, value, { expiration: { type: 'PX', value: ttlMs } }));
  }

  /** Returns true if this call removed the value that was read, and no other process did. */
  async deleteIfStill(key: string, { value }: StoredEntry): Promise<boolean> {
    const deleting = this.redis.eval(DELETE_IF_EQUAL, { keys: [key], arguments: [value] });
    return (await this.#written(deleting, false)) === 1;
  }

  /** Undefined while another process has the lock. Extended while its holder lives, at most `longestMs`. */
  async lock(key: string, longestMs: number): Promise<Lock | undefined> {
    const holder = randomUUID();
    const askedAtMs = performance.now();
    const setting = this.redis.set(key, holder, { condition: 'NX', expiration: { type: 'PX', value: LOCK_MS } });
    const release = async () => void (await this.redis.eval(DELETE_IF_EQUAL, { keys: [key], arguments: [holder] }));
    try {
      if ((await this.#written(setting)) === null) return undefined;
    } catch (error) {
      // Redis may still set the lock after our timeout; other processes must not wait for it.
      void setting.then(release).catch(() => this.log.debug({}, 'a lock that came too late ends by itself'));
      throw error;
    }
    const extend = () =>
      void this.redis
        .eval(EXTEND_IF_EQUAL, { keys: [key], arguments: [holder, String(LOCK_MS)] })
        .catch((error: unknown) => this.log.debug({ reason: reasonOf(error) }, 'a lock was not extended'));
    const nowMs = performance.now();
    // If Redis answered late, little of the lock's lifetime may be left.
    if (nowMs - askedAtMs > EXTEND_LOCK_MS) extend();
    const extending = setInterval(() => {
      if (performance.now() > nowMs + longestMs) clearInterval(extending);
      else extend();
    }, EXTEND_LOCK_MS).unref();
    return {
      release: () => {
        clearInterval(extending);
        return release();
      },
    };
  }

  onApplicationShutdown(): void {
    clearTimeout(this.#nextTry);
  }

  /** @param proves true if success shows that Redis takes writes; a script may have found nothing to write */
  async #written<T>(command: Promise<T>, proves = true): Promise<T> {
    try {
      const result = await this.#inTime(command);
      if (proves) this.#writeFault = undefined;
      return result;
    } catch (error) {
      this.#writeFault = reasonOf(error);
      this.#tryAgainLater();
      throw error;
    }
  }

  #tryAgainLater(): void {
    this.#nextTry ??= setTimeout(() => {
      this.#nextTry = undefined;
      if (this.#writeFault === undefined || !this.redis.isOpen) return;
      this.set(`${this.config.redisKeyPrefix}write-test`, '', 1).then(
        () => this.log.info({}, 'Redis takes writes again'),
        () => undefined,
      );
    }, TRY_WRITING_AGAIN_MS).unref();
  }

  #inTime<T>(command: Promise<T>): Promise<T> {
    const { redisAnswerMs } = this.config;
    return within(this.#answerMs, command, () => {
      this.#awayUntilMs = performance.now() + redisAnswerMs;
      return new Error(`Redis gave no answer for ${redisAnswerMs} ms`);
    });
  }

  /** After a timeout, the next commands get a short timeout for a while, so that requests do not each wait. */
  get #answerMs(): number {
    const { redisAnswerMs } = this.config;
    return performance.now() < this.#awayUntilMs ? redisAnswerMs / 50 : redisAnswerMs;
  }
}
