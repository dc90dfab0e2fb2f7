import { performance as ofProcess } from 'node:perf_hooks';
import { pauseFor } from '@tranche/runtime';

/** Requests of a process that is never idle begin so far apart, where each gathers records. Milliseconds. */
const BUSY_EVERY_MS = 20;
const BUSY_FROM = 0.5;
/** With fewer records, a wait gathers hardly any and only delays them. */
const MANY_PER_SECOND = 500;
/** A shorter time says nothing: requests come in bursts. */
const MEASURED_MS = 250;

/**
 * Keeps `everyMs` between two requests to Kafka, and up to 20 ms where the process is busy more than half of its time and many records
 * come: they wait for the processor anyway, and a request with more of them costs it less (docs/decisions/0125). After a longer pause nothing
 * waits.
 */
export class RequestPace {
  #lastMs = -Infinity;
  #busyMs = 0;
  #records = 0;
  #measuredFromMs = performance.now();

  constructor(
    private readonly everyMs: number,
    private readonly busyShare = busyShareOfProcess(),
  ) {}

  /** Records that a request brings or takes. */
  count(records: number): void {
    this.#records += records;
  }

  /** To be awaited before a request. */
  async keep(): Promise<void> {
    this.#measure();
    const waitMs = this.#lastMs + Math.max(this.everyMs, this.#busyMs) - performance.now();
    if (waitMs > 0) await pauseFor(waitMs);
    this.#lastMs = performance.now();
  }

  #measure(): void {
    const nowMs = performance.now();
    const tookMs = nowMs - this.#measuredFromMs;
    if (tookMs < MEASURED_MS) return;
    const busy = (this.busyShare() - BUSY_FROM) / (1 - BUSY_FROM);
    const isMany = (this.#records * 1000) / tookMs >= MANY_PER_SECOND;
    this.#busyMs = isMany ? BUSY_EVERY_MS * busy : 0;
    this.#records = 0;
    this.#measuredFromMs = nowMs;
  }
}

/** Each call returns the share of the time since the one before in which the event loop was not idle. */
function busyShareOfProcess(): () => number {
  let last = ofProcess.eventLoopUtilization();
  return () => {
    const now = ofProcess.eventLoopUtilization();
    const { utilization } = ofProcess.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
