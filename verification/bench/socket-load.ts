import { connect } from 'node:net';
import { percentile } from './rate.js';

export interface SocketLoad {
  readonly url: URL;
  /** Requests in all. */
  readonly count: number;
  /** Connections, each with one request under way. */
  readonly connections: number;
  /** The whole n-th request, from 0, head and body. */
  readonly request: (n: number) => Buffer;
  /** Whether an answer of status 200 is the right one. */
  readonly isRight: (body: string) => boolean;
}

/**
 * Loads an HTTP/1.1 server over sockets and without an HTTP client, so that the load takes little of the processor that the contestants
 * need. Prints `{"done":N}` ten times a second, then `{"p50Ms","p99Ms"}` of the same part of the work that the rate is taken of. Rejects at
 * the first answer that is not right.
 */
export async function runSocketLoad({ url, count, connections, request, isRight }: SocketLoad): Promise<void> {
  const latenciesMs = new Float64Array(count);
  let sent = 0;
  let done = 0;
  const tell = () => console.log(JSON.stringify({ done }));

  /** One connection: the next request when the last one was answered. */
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

  const telling = setInterval(tell, 100);
  await Promise.all(Array.from({ length: connections }, work));
  clearInterval(telling);
  tell();
  const measured = [...latenciesMs.subarray(Math.floor(count * 0.2), Math.floor(count * 0.9))];
  console.log(JSON.stringify({ p50Ms: percentile(measured, 0.5), p99Ms: percentile(measured, 0.99) }));
}

/** The settings that every load gets from its bench. */
export function loadSettings(): Pick<SocketLoad, 'url' | 'count' | 'connections'> {
  const { env } = process;
  return { url: new URL(env.URL ?? ''), count: Number(env.COUNT), connections: Number(env.CONNECTIONS) };
}

/** The body, once as much of it came as `content-length` says. */
function wholeBody(answer: string): string | undefined {
  const headEnd = answer.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(answer)?.[1]);
  const body = answer.slice(headEnd + 4);
  return body.length < length ? undefined : body;
}
