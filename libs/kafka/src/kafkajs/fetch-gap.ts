import type { Consumer } from 'kafkajs';

/** A fetch that waits for records is answered after its `maxWaitTimeInMs`, 50 ms, as is the one before it; a topic is made anew in 300. */
const AT_MOST_MS = 250;

/**
 * Tells, before its records are given to anybody, of a broker's first fetch, and of one that is answered long after the one before it was sent to the same broker: the process
 * stood still, fetches failed, or the request waited on its way. Meanwhile the topic may have been deleted, made anew and filled, and the
 * answer, which is the one of the log that is there then, would not show it.
 */
export class FetchGap {
  /** When the last fetch that was answered had been sent, by the broker's address. */
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

/** A frozen machine's monotonic clock stands still; its date is set afterwards. */
interface Instant {
  monotonicMs: number;
  dateMs: number;
}

const msBetween = (from: Instant, to: Instant): number =>
  Math.max(to.monotonicMs - from.monotonicMs, to.dateMs - from.dateMs);
