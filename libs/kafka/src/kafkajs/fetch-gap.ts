import type { Consumer } from 'kafkajs';

/** Bound of each time during which the log may have changed unseen. Deleting, recreating and filling a topic takes 300 ms. */
const AT_MOST_MS = 125;

/**
 * Detects gaps between the fetches of one broker, and its first fetch, before their records are delivered: the process was suspended,
 * fetches failed, or the request was delayed. During a gap the topic may have been deleted, recreated and filled, and the response would
 * not show that. A broker answers the waiting fetches of a topic that is deleted.
 */
export class FetchGap {
  /** Time of the last answer, by broker address. */
  readonly #answered = new Map<string, Instant>();

  /**
   * @param waitMs `maxWaitTimeInMs` of the consumer
   * @param atMostMs bound of a time without a fetch. A process with little processor time reaches the default often, and each gap costs a second fetch.
   */
  constructor(consumer: Pick<Consumer, 'on'>, onGap: () => void, waitMs = 50, atMostMs = AT_MOST_MS) {
    consumer.on('consumer.network.request', ({ payload: { apiName, broker, duration } }) => {
      if (apiName !== 'Fetch') return;
      const now = { monotonicMs: performance.now(), dateMs: Date.now() };
      const before = this.#answered.get(broker);
      this.#answered.set(broker, now);
      if (!before || duration > waitMs + atMostMs || msBetween(before, now) > duration + atMostMs) onGap();
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
