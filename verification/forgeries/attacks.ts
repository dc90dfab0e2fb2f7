import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '@tranche/testing';
import { encoded, notification, requestOf, signed, TARGET } from './messages.js';

/** The good traffic has another address, because the server limits each address. */
const ATTACKER = '127.0.0.2';
const TIMEOUT_MS = 15_000;

function attacking(port: number): Socket {
  return connect({ port, host: '127.0.0.1', localAddress: ATTACKER }).on('error', () => undefined);
}

/** Sends a request as bytes over a connection of its own. The status is 0 if the connection ends without an answer. */
export async function send(port: number, request: Buffer): Promise<{ status: number; body: string }> {
  const socket = attacking(port);
  let received = '';
  const answer = await new Promise<string[]>((resolve) => {
    const settle = () => resolve(/^HTTP\/1.1 (\d+)[^]*?\r\n\r\n([^]*)$/.exec(received) ?? []);
    socket.setTimeout(TIMEOUT_MS, settle).on('close', settle);
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
      const [head, length] = /^[^]*?content-length: (\d+)[^]*?\r\n\r\n/i.exec(received) ?? [];
      if (head !== undefined && received.length >= head.length + Number(length)) settle();
    });
    socket.write(request);
  });
  // A reset leaves no port waiting: thousands of forgeries would use up all of them.
  socket.resetAndDestroy();
  return { status: Number(answer[1] ?? 0), body: answer[2] ?? '' };
}

export interface SlowClients {
  kind: keyof typeof BEGINNINGS;
  count: number;
  cut: number;
  accepted: number;
  lastCutSeconds: number;
}

const HEAD = 'POST /notifications HTTP/1.1\r\nhost: ingest\r\n';
const BEGINNINGS = {
  'slow headers': `${HEAD}x: `,
  'slow body': `${HEAD}content-type: application/x-www-form-urlencoded\r\ncontent-length: 60000\r\n\r\nA=`,
} as const;

/** Each client sends a byte every 200 ms without end. Resolves when the server has cut all of them, or after 30 s. */
export async function slowClients(kind: SlowClients['kind'], count: number, port: number): Promise<SlowClients> {
  const result: SlowClients = { kind, count, cut: 0, accepted: 0, lastCutSeconds: 0 };
  const startedMs = performance.now();
  const sockets = Array.from({ length: count }, () => {
    const socket = attacking(port);
    socket.write(BEGINNINGS[kind]);
    const drip = setInterval(() => socket.writable && socket.write('x'), 200);
    socket.on('data', (bytes) => (result.accepted += bytes.toString('latin1').startsWith('HTTP/1.1 200') ? 1 : 0));
    return socket.on('close', () => {
      clearInterval(drip);
      result.cut++;
      result.lastCutSeconds = Math.round((performance.now() - startedMs) / 100) / 10;
    });
  });
  await waitFor(() => result.cut === count, { timeoutMs: 30_000 }).catch(() => undefined);
  const ended = { ...result };
  for (const socket of sockets) socket.destroy();
  return ended;
}

export interface Flood {
  kind: keyof typeof FLOODS;
  connections: number;
  answered: number;
  accepted: number;
  /** Connections that the server ended; the client opened another one for each. */
  cut: number;
}

const FLOODS = {
  /** Forged bodies near the limit, each after an answer. */
  large: () => {
    const pairs = signed([...notification(TARGET), ['CUSTOM', 'x'.repeat(58_000)]]);
    const forged = pairs.map(([name, value]) => [name, name === 'HASH' ? '0'.repeat(64) : value] as const);
    return requestOf('urlencoded', encoded('urlencoded', forged));
  },
  /** Small requests without end, of which no answer is read. */
  pipelined: () => Buffer.from('GET /notifications?A=1 HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(500)),
} as const;

/** Floods the server from one address. */
export async function flood(kind: Flood['kind'], connections: number, port: number, forMs: number): Promise<Flood> {
  const result: Flood = { kind, connections, answered: 0, accepted: 0, cut: 0 };
  const request = FLOODS[kind]();
  const isOver = new AbortController();
  const keepSending = async () => {
    while (!isOver.signal.aborted) {
      const socket = attacking(port);
      const end = () => socket.destroy();
      isOver.signal.addEventListener('abort', end);
      const write = () => {
        while (socket.writable && socket.write(request) && kind === 'pipelined');
      };
      if (kind === 'pipelined') socket.pause().on('drain', write);
      else
        socket.on('data', (bytes) => {
          const text = bytes.toString('latin1');
          if (!text.startsWith('HTTP/1.1 ')) return;
          result.answered++;
          if (text.startsWith('HTTP/1.1 200')) result.accepted++;
          write();
        });
      await new Promise((resolve) => socket.on('connect', write).on('close', resolve));
      isOver.signal.removeEventListener('abort', end);
      if (isOver.signal.aborted) return;
      result.cut++;
      await delay(20);
    }
  };
  const clients = Array.from({ length: connections }, keepSending);
  await delay(forMs);
  isOver.abort();
  await Promise.all(clients);
  return result;
}
