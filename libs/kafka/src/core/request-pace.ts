import { performance as ofProcess } from 'node:perf_hooks';
import { pauseFor } from '@tranche/runtime';

/** Requests of a process that is never idle begin so far apart. Milliseconds. */
const BUSY_EVERY_MS = 20;
const BUSY_FROM = 0.5;

/**
 * Keeps `everyMs` between two requests to Kafka, and up to 20 ms where the process is busy more than half of its time: records then wait for
 * the processor anyway, and a request with more of them costs it less (docs/decisions/0125). After a longer pause nothing waits.
 */
export class RequestPace {
  #lastMs = -Infinity;

  constructor(
    private readonly everyMs: number,
    private readonly busyShare = busyShareOfProcess(),
  ) {}

  /** To be awaited before a request. */
  async keep(): Promise<void> {
    const busyMs = BUSY_EVERY_MS * ((this.busyShare() - BUSY_FROM) / (1 - BUSY_FROM));
    const waitMs = this.#lastMs + Math.max(this.everyMs, busyMs) - performance.now();
    if (waitMs > 0) await pauseFor(waitMs);
    this.#lastMs = performance.now();
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
