import type { Consumer } from 'kafkajs';
import { pauseFor } from '@tranche/runtime';

/**
 * kafkajs asks for more as soon as a fetch was taken, and each request names every partition: under load a thousand requests a second
 * for a record or two. Fetches that bring something begin so far apart at least; a record that comes alone does not wait.
 */
export class FetchPace {
  /** A fetch brings batches of many partitions, one after the other: only the first one waits. */
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

  /** To be awaited by who took a batch, before the next fetch. */
  async keep(): Promise<void> {
    if (!this.isFirstOfFetch) return;
    this.isFirstOfFetch = false;
    const waitMs = this.lastMs + this.everyMs - performance.now();
    if (waitMs > 0) await pauseFor(waitMs);
    this.lastMs = performance.now();
  }
}
