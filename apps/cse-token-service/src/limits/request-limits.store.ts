import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InjectRedis, ServiceLogger, type RedisClient } from '@tranche/service-kit';
import { reasonOf, secondsToWait } from '@tranche/runtime';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { CseConfig } from '../cse.config.js';
import { SharedRateCounter } from './shared-rate-counter.js';

const MINUTE_SECONDS = 60;
/** Interval of an instance's reports to Redis. All instances together may exceed the limit by the requests of one interval. */
const SETTLE_MS = 250;
const MAX_KEYS = 10_000;

interface Limit {
  counts: SharedRateCounter;
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
    const nowMs = performance.now();
    const waitMs =
      this.#address.counts.take(address, nowMs) ??
      (origin === undefined ? undefined : this.#origin.counts.take(origin, nowMs));
    if (this.redis !== undefined) this.#timer ??= setTimeout(() => void this.#settle(), SETTLE_MS).unref();
    return waitMs === undefined ? undefined : secondsToWait(waitMs);
  }

  onApplicationShutdown(): void {
    clearTimeout(this.#timer);
  }

  #limit(name: string, max: number): Limit {
    const counts = new SharedRateCounter(max, MINUTE_SECONDS * 1_000, MAX_KEYS);
    if (this.redis === undefined) return { counts };
    const shared = new RateLimiterRedis({
      keyPrefix: `${this.config.redisKeyPrefix}requests-of-${name}`,
      points: max,
      duration: MINUTE_SECONDS,
      storeClient: this.redis,
      useRedisPackage: true,
      rejectIfRedisNotReady: true,
    });
    return { counts, shared };
  }

  async #settle(): Promise<void> {
    const failures = await Promise.all([this.#address, this.#origin].flatMap((limit) => settled(limit)));
    const trouble = failures.find((failure) => failure !== undefined);
    if (failures.length > 0) this.#report(trouble);
    const isMore = this.#address.counts.hasUnsettled || this.#origin.counts.hasUnsettled;
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

/** Resolves with the error, or undefined, for each key. */
function settled({ counts, shared }: Limit): Promise<unknown>[] {
  if (shared === undefined) return [];
  return counts.unsettled().map(async ([key, taken]) => {
    try {
      await shared.consume(key, taken);
      return undefined;
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) return refusal;
      counts.block(key, performance.now() + refusal.msBeforeNext);
      return undefined;
    }
  });
}
