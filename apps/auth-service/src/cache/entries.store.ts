import { randomUUID } from 'node:crypto';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Health, InjectRedis, ServiceLogger, type RedisClient } from '@tranche/service-kit';
import { reasonOf, within } from '@tranche/runtime';
import { AuthConfig } from '../auth.config.js';

export interface Lock {
  release(): Promise<void>;
}

export interface StoredEntry {
  /** Undefined: there is a value that is no text; this service did not write it. */
  value?: string;
  ttlMs: number;
}

/** Both at one moment: another token may be stored between two commands. A value of another type is 1 here. */
const READ = `local value = redis.pcall('get', KEYS[1])
if type(value) == 'table' then value = 1 end
return {value, redis.call('pttl', KEYS[1])}`;

/** Deletes only what is still there unchanged. */
const DELETE_IF_EQUAL = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";
const DELETE_IF_NO_TEXT =
  "if redis.call('type', KEYS[1]).ok == 'string' then return 0 end return redis.call('del', KEYS[1])";
const EXTEND_IF_EQUAL =
  "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0";

/** How soon a lock whose holder died is free. More than what setting or extending it may take, REDIS_ANSWER_MS. */
const LOCK_MS = 5_000;
const EXTEND_LOCK_MS = 1_000;
const TRY_WRITING_AGAIN_MS = 1_000;

/**
 * Texts in Redis, each with a time to live, and locks. Rejects when Redis is away, slow or takes no writes (a replica, a full memory, a
 * disk that is full): that too is "not ready", and is tried again until it works.
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
    const [value, ttlMs] = (await this.#inTime(this.redis.eval(READ, { keys: [key] }))) as [
      string | number | null,
      number,
    ];
    if (value === null) return undefined;
    return typeof value === 'string' ? { value, ttlMs } : { ttlMs };
  }

  async set(key: string, value: string, ttlMs: number): Promise<void> {
    await this.#written(this.redis.set(key, value, { expiration: { type: 'PX', value: ttlMs } }));
  }

  /** True: this call removed the value that was read; no other process did. */
  async deleteIfStill(key: string, { value }: StoredEntry): Promise<boolean> {
    const [script, args] = value === undefined ? [DELETE_IF_NO_TEXT, []] : [DELETE_IF_EQUAL, [value]];
    return (await this.#written(this.redis.eval(script, { keys: [key], arguments: args }), false)) === 1;
  }

  /** Undefined while somebody else has it. Extended while its holder lives, `longestMs` at most. */
  async lock(key: string, longestMs: number): Promise<Lock | undefined> {
    const holder = randomUUID();
    const askedAtMs = performance.now();
    const setting = this.redis.set(key, holder, { condition: 'NX', expiration: { type: 'PX', value: LOCK_MS } });
    const release = async () => void (await this.redis.eval(DELETE_IF_EQUAL, { keys: [key], arguments: [holder] }));
    try {
      if ((await this.#written(setting)) === null) return undefined;
    } catch (error) {
      // Redis may still set it after we gave up waiting; then no process should wait for us.
      void setting.then(release).catch(() => this.log.debug({}, 'a lock that came too late ends by itself'));
      throw error;
    }
    const extend = () =>
      void this.redis
        .eval(EXTEND_IF_EQUAL, { keys: [key], arguments: [holder, String(LOCK_MS)] })
        .catch((error: unknown) => this.log.debug({ reason: reasonOf(error) }, 'a lock was not extended'));
    const nowMs = performance.now();
    // Of one that was answered late little may be left.
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

  /** `proves`: that it works shows that Redis takes writes; a script may have found nothing to write. */
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

  /** After a command that was not answered the next ones are given little time, until one may be waited for again. */
  get #answerMs(): number {
    const { redisAnswerMs } = this.config;
    return performance.now() < this.#awayUntilMs ? redisAnswerMs / 50 : redisAnswerMs;
  }
}
