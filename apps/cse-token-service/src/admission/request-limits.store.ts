import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { reasonOf, secondsToWait, WindowCounter } from '@tranche/runtime';
import { InjectRedis, ServiceLogger, type RedisClient } from '@tranche/service-kit';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { CseConfig } from '../cse.config.js';

const MINUTE_SECONDS = 60;
/** Interval of an instance's reports to Redis. All instances together may exceed the limit by the requests of one interval. */
const SETTLE_MS = 250;
const MAX_KEYS = 10_000;

interface Limit {
  counter: WindowCounter;
  /** Taken here, and not yet reported to the other instances; stays empty without `shared`, since nothing would empty it. */
  taken: Map<string, number>;
  shared?: RateLimiterRedis;
}

/**
 * Counts requests per address and per origin: in this process at once, and in Redis for all instances a few times per second. No request
 * waits for Redis; while it is down, each instance counts alone (docs/decisions/0027).
 */
@Injectable()
export class RequestLimits implements OnApplicationShutdown {
  readonly #address: Limit;
  readonly #origin: Limit;
  #timer?: NodeJS.Timeout;
  #isAlone = false;

  constructor(
    private readonly config: CseConfig,
    @InjectRedis() private readonly redis: RedisClient | undefined,
    private readonly log: ServiceLogger,
  ) {
    this.#address = this.#limit('address', config.requestsPerMinutePerAddress);
    this.#origin = this.#limit('origin', config.requestsPerMinutePerOrigin);
  }

  /** Returns the seconds to wait if a limit is exceeded; a request beyond its address's limit does not count for its origin. */
  take(address: string, origin: string | undefined): number | undefined {
    const waitMs = take(this.#address, address) ?? (origin === undefined ? undefined : take(this.#origin, origin));
    if (this.redis !== undefined) this.#timer ??= setTimeout(() => void this.#settle(), SETTLE_MS).unref();
    return waitMs === undefined ? undefined : secondsToWait(waitMs);
  }

  onApplicationShutdown(): void {
    clearTimeout(this.#timer);
  }

  #limit(name: string, max: number): Limit {
    const counter = new WindowCounter(max, MINUTE_SECONDS * 1_000, MAX_KEYS);
    const shared =
      this.redis &&
      new RateLimiterRedis({
        keyPrefix: `${this.config.redisKeyPrefix}requests-of-${name}`,
        points: max,
        duration: MINUTE_SECONDS,
        storeClient: this.redis,
        useRedisPackage: true,
        rejectIfRedisNotReady: true,
      });
    return { counter, taken: new Map(), ...(shared && { shared }) };
  }

  async #settle(): Promise<void> {
    const limits = [this.#address, this.#origin];
    const failures = await Promise.all(limits.flatMap(settled));
    if (failures.length > 0) this.#report(failures.find((failure) => failure !== undefined));
    const isMore = limits.some(({ taken }) => taken.size > 0);
    this.#timer = isMore ? setTimeout(() => void this.#settle(), SETTLE_MS).unref() : undefined;
  }

  #report(trouble: unknown): void {
    const isAlone = trouble !== undefined;
    if (isAlone === this.#isAlone) return;
    this.#isAlone = isAlone;
    if (isAlone)
      this.log.warn(
        { reason: reasonOf(trouble) },
        'Redis does not count requests: this instance limits by what it sees itself',
      );
    else this.log.info({}, 'requests are counted in Redis again, for all instances');
  }
}

/** Counts one request. Returns the milliseconds until the next window if the limit is exceeded. */
function take({ counter, taken, shared }: Limit, key: string): number | undefined {
  const waitMs = counter.take(key, performance.now());
  if (waitMs === undefined && shared !== undefined) taken.set(key, (taken.get(key) ?? 0) + 1);
  return waitMs;
}

/** Resolves with the error, or undefined, for each key. */
function settled(limit: Limit): Promise<unknown>[] {
  const { counter, taken, shared } = limit;
  limit.taken = new Map();
  if (shared === undefined) return [];
  return [...taken].map(async ([key, count]) => {
    try {
      await shared.consume(key, count);
      return undefined;
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) return refusal;
      counter.block(key, performance.now() + refusal.msBeforeNext);
      return undefined;
    }
  });
}
