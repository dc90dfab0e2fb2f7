/**
 * Sends the good traffic in its own process, so that the attack's work does not distort its figures: `node traffic-process.js PORT
 * PER_SECOND`.
 */
import { Agent, request } from 'node:http';
import { percentile } from '../figures.js';
import { encoded } from './encodings.js';
import { notification, signed } from './signed-message.js';

export interface TrafficFigures {
  sent: number;
  failed: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

const [port = 0, perSecond = 50] = process.argv.slice(2).map(Number);
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const startedMs = performance.now();
let sent = 0;
let latencies: number[] = [];
let failed = 0;
let open = 0;

function notify(dueMs: number): void {
  open++;
  const path = `/notifications?${encoded('query', signed(notification(`good ${sent}`))).toString()}`;
  const settle = (isOk: boolean) => {
    open--;
    if (isOk) latencies.push(performance.now() - dueMs);
    else failed++;
  };
  const outgoing = request({ host: '127.0.0.1', port, path, agent, timeout: 15_000 }, (answer) => {
    let body = '';
    answer.setEncoding('utf8').on('data', (text: string) => (body += text));
    answer.on('end', () => settle(answer.statusCode === 200 && body === 'OK'));
  });
  outgoing.on('timeout', () => outgoing.destroy(new Error('no answer')));
  outgoing.on('error', () => settle(false));
  outgoing.end();
}

/** Requests are due by the clock and not after answers; latency counts from the due time. */
const timer = setInterval(() => {
  for (
    let dueMs = startedMs + (sent * 1_000) / perSecond;
    dueMs <= performance.now();
    dueMs = startedMs + (sent * 1_000) / perSecond
  ) {
    sent++;
    notify(dueMs);
  }
}, 2);

function figures(): TrafficFigures {
  const at = (share: number) => (latencies.length === 0 ? 0 : Math.round(percentile(latencies, share) * 100) / 100);
  const taken = { sent: latencies.length + failed, failed, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
  latencies = [];
  failed = 0;
  return taken;
}

process.on('message', (message) => {
  if (message === 'figures') return void process.send?.(figures());
  clearInterval(timer);
  const drained = setInterval(() => {
    if (open > 0) return;
    clearInterval(drained);
    process.send?.(figures());
    agent.destroy();
    process.disconnect();
  }, 10);
});
process.on('disconnect', () => process.exit(0));
