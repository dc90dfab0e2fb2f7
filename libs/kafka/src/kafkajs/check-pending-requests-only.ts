import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';

let isPatched = false;

/**
 * After each response kafkajs 2.2.4 sets a timer until the broker's throttling ends, also where no request waits for it. While no broker
 * throttles, that time is in the past: Node.js 24, Bun and Deno print a warning, and the timer fires and is set anew for as long as the
 * connection lasts, each millisecond. With this replacement it is set only where a request waits (decision 0041).
 */
export function checkPendingRequestsOnly(): void {
  if (isPatched) return;
  isPatched = true;
  // eslint-disable-next-line @typescript-eslint/unbound-method -- it is called on what ours was called on
  const { scheduleCheckPendingRequests } = RequestQueue.prototype;
  Object.assign(RequestQueue.prototype, {
    scheduleCheckPendingRequests(this: RequestQueue): void {
      if (this.pending.length > 0) scheduleCheckPendingRequests.call(this);
    },
  });
}
