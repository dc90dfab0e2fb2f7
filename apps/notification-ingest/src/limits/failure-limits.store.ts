import { Injectable } from '@nestjs/common';
import { WindowCounter } from '@tranche/runtime';
import { countedAs, InjectRedis, type RedisClient } from '@tranche/service-kit';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import { IngestConfig } from '../ingest.config.js';

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3_600;
/** Addresses that an instance counts without asking Redis; the oldest goes first. */
const MAX_REMEMBERED = 10_000;
const ALL_ADDRESSES = 'all';

export type QuarantineVerdict = 'kept' | 'address' | 'total';

/**
 * Counts failures per address and what they may put into quarantine, in Redis for all instances together; in memory, each for itself,
 * without Redis or while it is away. Nothing that verifies is ever counted, so a limit can cost no notification.
 */
@Injectable()
export class FailureLimits {
  readonly #failures: RateLimiterAbstract;
  readonly #quarantine: RateLimiterAbstract;
  readonly #quarantineOfAll: RateLimiterAbstract;
  /** Of this instance: Redis answers later, and what comes meanwhile may be thousands. */
  readonly #failuresHere: WindowCounter;
  readonly #linesHere: WindowCounter;

  constructor(
    private readonly config: IngestConfig,
    @InjectRedis() private readonly redis: RedisClient | undefined,
  ) {
    const { failuresPerMinute, quarantineKbPerHour, quarantineTotalKbPerHour } = config;
    this.#failuresHere = new WindowCounter(failuresPerMinute, MINUTE_SECONDS * 1_000, MAX_REMEMBERED);
    this.#linesHere = new WindowCounter(failuresPerMinute, MINUTE_SECONDS * 1_000, MAX_REMEMBERED);
    this.#failures = this.#limiter('failures', failuresPerMinute, MINUTE_SECONDS);
    this.#quarantine = this.#limiter('quarantine-kb', quarantineKbPerHour, HOUR_SECONDS);
    this.#quarantineOfAll = this.#limiter('quarantine-kb-of-all', quarantineTotalKbPerHour, HOUR_SECONDS);
  }

  /** Counts a failure. Resolves to the seconds until failures of this address are answered again, or undefined where they still are. */
  async count(address: string): Promise<number | undefined> {
    const key = countedAs(address);
    const waitMs = this.#failuresHere.take(key, performance.now()) ?? (await refusedForMs(this.#failures, key));
    if (waitMs === undefined) return undefined;
    this.#failuresHere.block(key, performance.now() + waitMs);
    return Math.max(1, Math.ceil(waitMs / 1_000));
  }

  /** Whether the address failed too often, as far as this instance knows. */
  isLimited(address: string): boolean {
    return this.#failuresHere.isBlocked(countedAs(address), performance.now());
  }

  /** Whether this address may still be logged. */
  takeLine(address: string): boolean {
    return !this.isLimited(address) && this.#linesHere.take(countedAs(address), performance.now()) === undefined;
  }

  /** Takes from what the address, and all of them together, may put into quarantine for this reason. */
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
