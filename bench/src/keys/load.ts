/**
 * Pages that ask for a key: COUNT requests over CONNECTIONS connections, one under way on each, to `URL`. Sockets and no HTTP client, so that
 * the load takes little of the processor that the contestants need. Prints `{"done":N}` ten times a second, then `{"p50Ms","p99Ms"}`. Ends with
 * 1 at the first answer that is not `ANSWER`.
 */
import { connect } from 'node:net';
import { percentile } from '../rate.js';
import { keyRequest } from './request.js';

const url = new URL(process.env.URL ?? '');
const answer = process.env.ANSWER ?? '';
const count = Number(process.env.COUNT);

const request = keyRequest(url);
const end = `\r\n\r\n${answer}`;
const latenciesMs = new Float64Array(count);
let sent = 0;
let done = 0;

const telling = setInterval(tell, 100);
await Promise.all(Array.from({ length: Number(process.env.CONNECTIONS) }, () => work()));
clearInterval(telling);
tell();
const measured = [...latenciesMs.subarray(Math.floor(count * 0.2), Math.floor(count * 0.9))];
console.log(JSON.stringify({ p50Ms: percentile(measured, 0.5), p99Ms: percentile(measured, 0.99) }));

function tell(): void {
  console.log(JSON.stringify({ done }));
}

/** One connection: the next request when the last one was answered. */
function work(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(url.port), host: url.hostname, noDelay: true });
    let received = '';
    let startedMs = 0;
    const next = () => {
      if (sent >= count) {
        socket.destroy();
        resolve();
        return;
      }
      sent++;
      startedMs = performance.now();
      socket.write(request);
    };
    socket.on('connect', next);
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (!received.endsWith(end)) {
        if (received.includes('\r\n\r\n') && !received.startsWith('HTTP/1.1 200 ')) reject(new Error(`answered with ${received}`));
        return;
      }
      received = '';
      latenciesMs[done++] = performance.now() - startedMs;
      next();
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the connection was closed')));
  });
}
