import type { Consumer } from 'kafkajs';
import { pauseFor } from '@tranche/runtime';

/**
 * kafkajs fetches again as soon as a fetch was taken, and each request lists every partition: under load that is a thousand requests per
 * second for one or two records each. This keeps `everyMs` between fetches that return records; a single record is not delayed.
 */
export class FetchPace {
  /** A fetch returns batches of many partitions in turn; only the first of them waits. */
  private isFirstOfFetch = false;
  private lastMs = -Infinity;

  constructor(
    consumer: Consumer,
    private readonly everyMs: number,
  ) {
    consumer.on('consumer.fetch', () => {
      this.isFirstOfFetch = true;
    });
  }

  /** To be awaited after each batch. */
  async keep(): Promise<void> {
    if (!this.isFirstOfFetch) return;
    this.isFirstOfFetch = false;
    const waitMs = this.lastMs + this.everyMs - performance.now();
    if (waitMs > 0) await pauseFor(waitMs);
    this.lastMs = performance.now();
  }
}
