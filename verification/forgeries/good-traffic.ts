/**
 * Sends signed notifications at a steady rate, and answers each message with its figures since the last one: `node good-traffic.js ORIGIN
 * PER_SECOND`. It is a process of its own, so that the attack's work does not distort them.
 */
import autocannon from 'autocannon';
import { percentile } from '../figures.js';
import { encoded, notification, signed } from './messages.js';

export interface GoodTraffic {
  sent: number;
  failed: number;
  p50Ms: number;
  p99Ms: number;
}

const [origin = '', perSecond] = process.argv.slice(2);
let latenciesMs: number[] = [];
let failed = 0;
const running = autocannon({
  url: `${origin}/notifications?${encoded('query', signed(notification('good 1'))).toString()}`,
  ...{ connections: Number(perSecond), overallRate: Number(perSecond), duration: 3_600 },
  verifyBody: (body) => String(body) === 'OK',
});
void running.on('response', (_client: unknown, _status: number, _bytes: number, ms: number) => latenciesMs.push(ms));
for (const event of ['reqError', 'reqMismatch']) void running.on(event, () => failed++);

process.on('message', () => {
  const [p50Ms, p99Ms] = [0.5, 0.99].map((share) => Math.round(percentile(latenciesMs, share) || 0));
  process.send?.({ sent: latenciesMs.length, failed, p50Ms: p50Ms!, p99Ms: p99Ms! } satisfies GoodTraffic);
  [latenciesMs, failed] = [[], 0];
});
process.once('disconnect', () => process.exit(0));
