/**
 * The services that ask for tokens as a load: COUNT times POST URL over CONNECTIONS connections, one under way on each. Sockets and no
 * HTTP client, so that the load takes little of the processor that the contestants need. Prints `{"done":N}` ten times a second, then
 * `{"p50Ms","p99Ms"}` of the same part of the work that the rate is taken of. Ends with 1 at the first answer that is no token of BYTES
 * (give or take the digits of its life).
 */
import { connect } from 'node:net';
import { percentile } from '../rate.js';

const url = new URL(process.env.URL ?? '');
const count = Number(process.env.COUNT);
const bytes = Number(process.env.BYTES);
const body = JSON.stringify({ account: process.env.ACCOUNT });
const request = Buffer.from(
  `POST ${url.pathname} HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: Bearer ${process.env.SERVICE_KEY}\r\n` +
    `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
);
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
    let answer = '';
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
      answer += chunk.toString('latin1');
      const headEnd = answer.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(answer)?.[1]);
      if (!(length >= 0) || answer.length < headEnd + 4 + length) return;
      if (!answer.startsWith('HTTP/1.1 200 ') || !answer.includes('"tokenType":"Bearer"') || Math.abs(length - bytes) > 8) {
        reject(new Error(`answered with ${answer.split('\r\n', 1)[0]}, ${length} bytes`));
        return;
      }
      answer = '';
      latenciesMs[done++] = performance.now() - startedMs;
      next();
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the connection was closed')));
  });
}
