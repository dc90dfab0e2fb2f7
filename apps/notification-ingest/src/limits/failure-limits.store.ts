import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { secondsToWait, WindowCounter } from '@tranche/runtime';
import { countedAs, InjectRedis, Metrics, type RedisClient } from '@tranche/service-kit';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import { IngestConfig } from '../ingest.config.js';

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3_600;
/** Maximum addresses that an instance counts in memory. The oldest is removed first. */
const MAX_REMEMBERED = 10_000;
const ALL_ADDRESSES = 'all';

export type QuarantineVerdict = 'kept' | 'address' | 'total';

/**
 * Limits the failures and the quarantined kilobytes of each address. The counters are in Redis for all instances. Without Redis, or while
 * it is unreachable, each instance counts for itself. Signed notifications are never counted, so no limit can lose one.
 */
@Injectable()
export class FailureLimits {
  readonly #failures: RateLimiterAbstract;
  readonly #quarantine: RateLimiterAbstract;
  readonly #quarantineOfAll: RateLimiterAbstract;
  /** Counts of this instance only. They limit an address at once, while the answers of Redis are still in flight. */
  readonly #failuresHere: WindowCounter;
  readonly #linesHere: WindowCounter;
  readonly #limited;

  constructor(
    private readonly config: IngestConfig,
    @InjectRedis() private readonly redis: RedisClient | undefined,
    metrics: Metrics,
  ) {
    this.#limited = metrics.counter({
      name: 'ingest_limited_total',
      help: 'Failed requests answered with 429: their address failed too often',
    });
    const { failuresPerMinute, quarantineKbPerHour, quarantineTotalKbPerHour } = config;
    this.#failuresHere = new WindowCounter(failuresPerMinute, MINUTE_SECONDS * 1_000, MAX_REMEMBERED);
    this.#linesHere = new WindowCounter(failuresPerMinute, MINUTE_SECONDS * 1_000, MAX_REMEMBERED);
    this.#failures = this.#limiter('failures', failuresPerMinute, MINUTE_SECONDS);
    this.#quarantine = this.#limiter('quarantine-kb', quarantineKbPerHour, HOUR_SECONDS);
    this.#quarantineOfAll = this.#limiter('quarantine-kb-of-all', quarantineTotalKbPerHour, HOUR_SECONDS);
  }

  /** Counts a failed request. Resolves to the seconds for Retry-After if the answer must be 429, else to undefined. */
  async countFailure(address: string): Promise<number | undefined> {
    const key = countedAs(address);
    const waitMs = this.#failuresHere.take(key, performance.now()) ?? (await refusedForMs(this.#failures, key));
    if (waitMs === undefined) return undefined;
    this.#failuresHere.block(key, performance.now() + waitMs);
    this.#limited.inc();
    return secondsToWait(waitMs);
  }

  /** True if this instance knows that the address failed too often. It does not ask Redis. */
  isLimited(address: string): boolean {
    return this.#failuresHere.isBlocked(countedAs(address), performance.now());
  }

  takeLine(address: string): boolean {
    return !this.isLimited(address) && this.#linesHere.take(countedAs(address), performance.now()) === undefined;
  }

  /** Takes kilobytes from the hourly quarantine budgets of the address and of all addresses for this reason. */
  async takeQuarantine(reason: string, address: string, bytes: number): Promise<QuarantineVerdict> {
    const kilobytes = Math.max(1, Math.ceil(bytes / 1_000));
    if ((await refusedForMs(this.#quarantine, `${reason}:${countedAs(address)}`, kilobytes)) !== undefined)
      return 'address';
    return (await refusedForMs(this.#quarantineOfAll, `${reason}:${ALL_ADDRESSES}`, kilobytes)) === undefined
      ? 'kept'
      : 'total';
  }

  #limiter(name: string, points: number, duration: number): RateLimiterAbstract {
    const options = { keyPrefix: `${this.config.redisKeyPrefix}${name}`, points, duration };
    const inMemory = new RateLimiterMemory(options);
    if (this.redis === undefined) return inMemory;
    return new RateLimiterRedis({
      ...options,
      storeClient: this.redis,
      useRedisPackage: true,
      rejectIfRedisNotReady: true,
      inMemoryBlockOnConsumed: points + 1,
      insuranceLimiter: inMemory,
    });
  }
}

async function refusedForMs(limiter: RateLimiterAbstract, key: string, points = 1): Promise<number | undefined> {
  try {
    await limiter.consume(key, points);
    return undefined;
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return refusal.msBeforeNext;
    throw refusal;
  }
}

/** Serializes the requests of limited addresses, so that verifying them cannot delay the requests of all others. */
@Injectable()
export class LimitedAddressGuard implements CanActivate {
  readonly #queue = new SerialQueue((next) => void setImmediate(next));

  constructor(private readonly limits: FailureLimits) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { ip } = context.switchToHttp().getRequest<{ ip: string }>();
    return this.limits.isLimited(ip) ? this.#queue.take().then(() => true) : true;
  }
}

/** First-in, first-out queue. Each callback of `schedule` lets one caller continue. */
export class SerialQueue {
  #waiting: (() => void)[] = [];

  constructor(private readonly schedule: (next: () => void) => void) {}

  take(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) this.schedule(() => this.#next());
    });
  }

  #next(): void {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) this.schedule(() => this.#next());
  }
}
