import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { encoded, requestOf } from './encodings.js';
import { notification, signed, TARGET, type Pairs } from './signed-message.js';

/** The good traffic has another address, because the server limits each address. */
export const ATTACKER = '127.0.0.2';

export interface Flood {
  kind: 'large' | 'pipelined';
  connections: number;
  answered: number;
  accepted: number;
  /** Connections that the server ended; the client opened another one for each. */
  cut: number;
}

const LARGE_BYTES = 58_000;
const REDIAL_MS = 20;

function forged(message: string): Pairs {
  return signed([...notification(TARGET), ['CUSTOM', message]]).map(
    ([name, value]) => [name, name === 'HASH' ? '0'.repeat(64) : value] as const,
  );
}

const REQUESTS = {
  large: () => requestOf('urlencoded', encoded('urlencoded', forged('x'.repeat(LARGE_BYTES)))),
  pipelined: () => Buffer.from('GET /notifications?A=1 HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(500)),
} as const;

/**
 * Floods the server from one address. `large` sends forged bodies near the limit, each after an answer. `pipelined` sends small requests
 * without end and reads no answer.
 */
export async function flood(kind: Flood['kind'], connections: number, port: number, forMs: number): Promise<Flood> {
  const result: Flood = { kind, connections, answered: 0, accepted: 0, cut: 0 };
  const request = REQUESTS[kind]();
  const sockets = new Set<Socket>();
  let isOver = false;
  const dial = () => {
    if (isOver) return;
    const socket = connect({ port, host: '127.0.0.1', localAddress: ATTACKER });
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      if (isOver) return;
      result.cut++;
      setTimeout(dial, REDIAL_MS);
    });
    const send = () => {
      while (socket.writable && socket.write(request) && kind === 'pipelined');
    };
    socket.on('connect', send);
    if (kind === 'pipelined') {
      socket.pause().on('drain', send);
      return;
    }
    socket.on('data', (bytes) => {
      const text = bytes.toString('latin1');
      if (!text.startsWith('HTTP/1.1 ')) return;
      result.answered++;
      if (text.startsWith('HTTP/1.1 200')) result.accepted++;
      if (!/connection: close/i.test(text)) send();
    });
  };
  for (let n = 0; n < connections; n++) dial();
  await delay(forMs);
  isOver = true;
  for (const socket of sockets) socket.destroy();
  return result;
}
