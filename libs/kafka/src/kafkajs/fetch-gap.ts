import type { Consumer } from 'kafkajs';

/** A waiting fetch and the one before it take at most 50 ms each (`maxWaitTimeInMs`); recreating a topic takes 300 ms. */
const AT_MOST_MS = 250;

/**
 * Detects gaps between the fetches of one broker, and its first fetch, before their records are delivered: the process was suspended,
 * fetches failed, or the request was delayed. During a gap the topic may have been deleted, recreated and filled, and the response would
 * not show that.
 */
export class FetchGap {
  /** Send time of the last answered fetch, by broker address. */
  readonly #sent = new Map<string, Instant>();

  constructor(consumer: Pick<Consumer, 'on'>, onGap: () => void) {
    consumer.on('consumer.network.request', ({ payload: { apiName, broker, duration } }) => {
      if (apiName !== 'Fetch') return;
      const now = { monotonicMs: performance.now(), dateMs: Date.now() };
      const before = this.#sent.get(broker);
      this.#sent.set(broker, { monotonicMs: now.monotonicMs - duration, dateMs: now.dateMs - duration });
      if (!before || msBetween(before, now) > AT_MOST_MS) onGap();
    });
  }
}

/** A suspended machine's monotonic clock stops, and its wall clock is corrected afterwards; so both are compared. */
interface Instant {
  monotonicMs: number;
  dateMs: number;
}

const msBetween = (from: Instant, to: Instant): number =>
  Math.max(to.monotonicMs - from.monotonicMs, to.dateMs - from.dateMs);
