import type { Consumer } from 'kafkajs';

/** A fetch of a consumer that runs waits for records for its `maxWaitTimeInMs`, 50 ms, as does the one before it; a topic is made anew in 300. */
const AT_MOST_MS = 200;

/**
 * Tells of two fetches between which the topic may have been deleted, made anew and filled, for the second one alone would not show it: one that
 * begins long after the one before it, for the process stood still, or its fetches failed; and one that is answered long after that, for a
 * request that waited on its way is answered from the log that is there then. A seek in `onGap` counts for the fetch that begins, and the
 * records of the one that is answered are not taken.
 */
export class FetchGap {
  /** When the last two fetches began, by broker. */
  readonly #starts = new Map<number, { before: Instant; last: Instant }>();

  constructor(consumer: Pick<Consumer, 'on'>, onGap: () => void) {
    consumer.on('consumer.fetch_start', ({ payload: { nodeId } }) => {
      const last = instant();
      const before = this.#starts.get(nodeId)?.last ?? last;
      this.#starts.set(nodeId, { before, last });
      if (msBetween(before, last) > AT_MOST_MS) onGap();
    });
    consumer.on('consumer.fetch', ({ payload: { nodeId } }) => {
      const before = this.#starts.get(nodeId)?.before;
      if (before && msBetween(before, instant()) > AT_MOST_MS) onGap();
    });
  }
}

/** A frozen machine's monotonic clock stands still; its date is set afterwards. */
interface Instant {
  monotonicMs: number;
  dateMs: number;
}

const instant = (): Instant => ({ monotonicMs: performance.now(), dateMs: Date.now() });

const msBetween = (from: Instant, to: Instant): number =>
  Math.max(to.monotonicMs - from.monotonicMs, to.dateMs - from.dateMs);
