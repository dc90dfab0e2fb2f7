import { connect } from 'node:net';
import { percentile } from './rate.js';

export interface SocketLoad {
  readonly url: URL;
  readonly count: number;
  /** Each connection has one request in flight. */
  readonly connections: number;
  /** The whole n-th request, from 0, head and body. */
  readonly request: (n: number) => Buffer;
  /** Checks the body of an answer with status 200. */
  readonly isRight: (body: string) => boolean;
}

/**
 * Loads an HTTP/1.1 server over plain sockets: an HTTP client would take processor time that the contestants need. Prints `{"done":N}` ten
 * times a second, then `{"p50Ms","p99Ms"}` of the part of the work that the rate covers. Rejects at the first wrong answer.
 */
export async function runSocketLoad({ url, count, connections, request, isRight }: SocketLoad): Promise<void> {
  const latenciesMs = new Float64Array(count);
  let sent = 0;
  let done = 0;
  const print = () => console.log(JSON.stringify({ done }));

  const work = () =>
    new Promise<void>((resolve, reject) => {
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
        socket.write(request(sent++));
      };
      socket.on('connect', next);
      socket.on('data', (chunk) => {
        answer += chunk.toString('latin1');
        const body = wholeBody(answer);
        if (body === undefined) return;
        if (!answer.startsWith('HTTP/1.1 200 ') || !isRight(body)) {
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

  const telling = setInterval(print, 100);
  await Promise.all(Array.from({ length: connections }, work));
  clearInterval(telling);
  print();
  const measured = [...latenciesMs.subarray(Math.floor(count * 0.2), Math.floor(count * 0.9))];
  console.log(JSON.stringify({ p50Ms: percentile(measured, 0.5), p99Ms: percentile(measured, 0.99) }));
}

export function loadSettings(): Pick<SocketLoad, 'url' | 'count' | 'connections'> {
  const { env } = process;
  return { url: new URL(env.URL ?? ''), count: Number(env.COUNT), connections: Number(env.CONNECTIONS) };
}

function wholeBody(answer: string): string | undefined {
  const headEnd = answer.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(answer)?.[1]);
  const body = answer.slice(headEnd + 4);
  return body.length < length ? undefined : body;
}
