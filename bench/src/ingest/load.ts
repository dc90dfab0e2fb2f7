/**
 * The platform as a load: COUNT notifications over CONNECTIONS connections, one under way on each, by METHOD to `URL`. Sockets and no HTTP
 * client, so that the load takes little of the processor that the contestants need. Prints `{"done":N}` ten times a second, then
 * `{"p50Ms","p99Ms"}` of the same part of the work that the rate is taken of. Ends with 1 at the first answer that is not `OK`.
 */
import { connect } from 'node:net';
import { percentile } from '../rate.js';
import { notification } from './notifications.js';

const url = new URL(process.env.URL ?? '');
const method = process.env.METHOD ?? 'GET';
const count = Number(process.env.COUNT);
const first = Number(process.env.FIRST ?? 0);
/** Signed before the clock runs; then they come again. */
const DIFFERENT = 10_000;

const requests = Array.from({ length: Math.min(count, DIFFERENT) }, (_, n) => requestOf(first + n));
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
      startedMs = performance.now();
      socket.write(requests[sent++ % requests.length] ?? '');
    };
    socket.on('connect', next);
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      const headEnd = answer.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(answer)?.[1]);
      if (!(length >= 0) || answer.length < headEnd + 4 + length) return;
      if (!answer.startsWith('HTTP/1.1 200 ') || !answer.endsWith('\r\n\r\nOK')) {
        reject(new Error(`answered with ${answer}`));
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

function requestOf(n: number): Buffer {
  const form = new URLSearchParams(notification(n)).toString();
  const head = `host: ${url.host}\r\nuser-agent: bench\r\naccept: */*\r\n`;
  return Buffer.from(
    method === 'GET'
      ? `GET ${url.pathname}?${form} HTTP/1.1\r\n${head}\r\n`
      : `POST ${url.pathname} HTTP/1.1\r\n${head}content-type: application/x-www-form-urlencoded\r\ncontent-length: ${form.length}\r\n\r\n${form}`,
  );
}
