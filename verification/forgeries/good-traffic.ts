/**
 * Sends signed notifications at a steady rate until SIGTERM, and then prints its figures: `node good-traffic.js ORIGIN PER_SECOND`. It is a
 * process of its own, so that the attack's work does not distort them.
 */
import autocannon from 'autocannon';
import { encoded, notification, signed } from './messages.js';

export interface GoodTraffic {
  sent: number;
  failed: number;
  p50Ms: number;
  p99Ms: number;
}

const [origin = '', perSecond] = process.argv.slice(2);
const running = autocannon({
  url: `${origin}/notifications?${encoded('query', signed(notification('good 1'))).toString()}`,
  ...{ connections: Number(perSecond), overallRate: Number(perSecond), duration: 3_600 },
  verifyBody: (body) => String(body) === 'OK',
});
process.once('SIGTERM', () => running.stop());
const { '2xx': sent, errors, timeouts, mismatches, non2xx, latency } = await running;
const failed = errors + timeouts + mismatches + non2xx;
const figures: GoodTraffic = { sent, failed, p50Ms: latency.p50, p99Ms: latency.p99 };
console.log(JSON.stringify(figures));
