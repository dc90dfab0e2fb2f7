import { connect } from 'node:net';
import { waitFor } from '@tranche/testing';

const HEAD = 'POST /notifications HTTP/1.1\r\nhost: ingest\r\n';
const BEGINNINGS = {
  'slow headers': `${HEAD}x: `,
  'slow body': `${HEAD}content-type: application/x-www-form-urlencoded\r\ncontent-length: 60000\r\n\r\nA=`,
} as const;

export type SlowKind = keyof typeof BEGINNINGS;

export interface SlowClients {
  kind: SlowKind;
  count: number;
  cut: number;
  accepted: number;
  lastCutSeconds: number;
}

/** Each client sends a byte every 200 ms without end. Resolves when the server has cut all of them, or after 30 s. */
export async function slowClients(kind: SlowKind, count: number, port: number): Promise<SlowClients> {
  const result: SlowClients = { kind, count, cut: 0, accepted: 0, lastCutSeconds: 0 };
  const startedMs = performance.now();
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(port, '127.0.0.1');
    socket.write(BEGINNINGS[kind]);
    const drip = setInterval(() => socket.writable && socket.write('x'), 200);
    socket.on('data', (bytes) => (result.accepted += bytes.toString('latin1').startsWith('HTTP/1.1 200') ? 1 : 0));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(drip);
      result.cut++;
      result.lastCutSeconds = Math.round((performance.now() - startedMs) / 100) / 10;
    });
    return socket;
  });
  try {
    await waitFor(() => result.cut === count, { what: `${kind} to be cut`, timeoutMs: 30_000 });
  } catch {
    for (const socket of sockets) socket.destroy();
  }
  return { ...result };
}
