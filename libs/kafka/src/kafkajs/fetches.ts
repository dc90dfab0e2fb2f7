import type { Consumer } from 'kafkajs';
import { RequestPace } from '../core/request-pace.js';

/**
 * kafkajs fetches again as soon as a fetch was taken, and each request lists every partition: under load that is a thousand requests per
 * second for one or two records each. This keeps a pace between fetches that return records; a single record is not delayed.
 */
export class FetchPace {
  /** A fetch returns batches of many partitions; only the first of them waits, and with it the next fetch. */
  private isFirstOfFetch = false;
  private readonly pace: RequestPace;

  constructor(consumer: Consumer, everyMs: number) {
    this.pace = new RequestPace(everyMs);
    consumer.on('consumer.fetch', () => {
      this.isFirstOfFetch = true;
    });
  }

  /** To be awaited after each batch of so many records. */
  async keep(records: number): Promise<void> {
    this.pace.count(records);
    if (!this.isFirstOfFetch) return;
    this.isFirstOfFetch = false;
    await this.pace.keep();
  }
}

/** A process with little processor time reaches less often, and each doubt costs a second fetch. Milliseconds. */
const STOOD_STILL_MS = 2_000;

/** A suspended machine's monotonic clock stops, and its wall clock is corrected afterwards; so both are compared. */
interface Instant {
  monotonicMs: number;
  dateMs: number;
}
const now = (): Instant => ({ monotonicMs: performance.now(), dateMs: Date.now() });
const msBetween = (from: Instant, to: Instant): number =>
  Math.max(to.monotonicMs - from.monotonicMs, to.dateMs - from.dateMs);

/**
 * Calls `onUnusual` before the records of the next fetch are delivered, whenever a consumer did anything but fetch and send heartbeats: kafkajs
 * asks for metadata after a join, a lost connection, a failed fetch and a new leader, and for the log's offsets after a fetch that was out of
 * range. It is also called where a fetch was answered much too late: the process stood still, or the request was delayed on its way, and the
 * answer may be from another log.
 * @param waitMs `maxWaitTimeInMs` of the consumer
 */
export function watchUnusual(consumer: Pick<Consumer, 'on'>, waitMs: number, onUnusual: () => void): void {
  const answered = new Map<string, Instant>();
  consumer.on('consumer.network.request', ({ payload: { apiName, broker, duration } }) => {
    if (apiName === 'Heartbeat') return;
    if (apiName !== 'Fetch') return onUnusual();
    const at = now();
    const pauseMs = msBetween(answered.get(broker) ?? at, at) - duration;
    answered.set(broker, at);
    if (duration > waitMs + STOOD_STILL_MS || pauseMs > STOOD_STILL_MS) onUnusual();
  });
}
