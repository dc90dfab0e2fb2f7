import type { Consumer } from 'kafkajs';

/** Between two fetches of a consumer that runs. One that waits for records comes back after its `maxWaitTimeInMs`, 50 ms; a topic is made anew in 300. */
const AT_MOST_MS = 200;

/**
 * Tells of a fetch that begins long after the one before it: the process stood still, or its fetches failed. Meanwhile the topic may have
 * been deleted, made anew and filled, and the fetch alone would not show it. A seek in `onGap` counts for this very fetch.
 */
export class FetchGap {
  readonly #lastMs = new Map<number, { monotonicMs: number; dateMs: number }>();

  constructor(consumer: Pick<Consumer, 'on'>, onGap: () => void) {
    consumer.on('consumer.fetch_start', ({ payload: { nodeId } }) => {
      // A frozen machine's monotonic clock stands still; its date is set afterwards.
      const now = { monotonicMs: performance.now(), dateMs: Date.now() };
      const last = this.#lastMs.get(nodeId) ?? now;
      this.#lastMs.set(nodeId, now);
      if (Math.max(now.monotonicMs - last.monotonicMs, now.dateMs - last.dateMs) > AT_MOST_MS) onGap();
    });
  }
}
