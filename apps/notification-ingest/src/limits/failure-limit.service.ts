import { Injectable } from '@nestjs/common';
import { Metrics } from '@tranche/service-kit';
import { FailureLimits } from './failure-limits.store.js';

/** Counts failed requests per address. Signed notifications are never limited. */
@Injectable()
export class FailureLimitService {
  readonly #limited;

  constructor(
    private readonly limits: FailureLimits,
    metrics: Metrics,
  ) {
    this.#limited = metrics.counter({
      name: 'ingest_limited_total',
      help: 'Failed requests answered with 429: their address failed too often',
    });
  }

  /** Counts a failed request. Resolves to the seconds for Retry-After if the answer must be 429, else to undefined. */
  async countFailure(address: string): Promise<number | undefined> {
    const waitSeconds = await this.limits.count(address);
    if (waitSeconds !== undefined) this.#limited.inc();
    return waitSeconds;
  }
}
