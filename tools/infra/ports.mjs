import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Expected } from './processes.mjs';

/** Below the ephemeral ports of operating systems, and above the range of libs/testing/src/infrastructure.ts. */
export const PORTS = { from: 28_000, to: 32_000 };

/** This process begins at a random port and counts those that it has tried. */
const begun = Math.floor(Math.random() * (PORTS.to - PORTS.from));
let looked = 0;

/** Returns free ports. This process gets none twice, and other processes begin elsewhere. */
export async function freePorts(count) {
  const ports = [];
  while (ports.length < count) {
    if (looked === PORTS.to - PORTS.from)
      throw new Expected(`no free port is left between ${PORTS.from} and ${PORTS.to - 1}`);
    const port = PORTS.from + ((begun + looked++) % (PORTS.to - PORTS.from));
    if (await isPortFree(port)) ports.push(port);
  }
  return ports;
}

/** True if a service could listen on every address; a listener on only one of them counts as taken. */
export async function isPortFree(port) {
  try {
    for (const host of ['127.0.0.1', '0.0.0.0']) {
      const server = createServer().listen({ port, host, exclusive: true });
      await once(server, 'listening');
      await new Promise((closed) => server.close(closed));
    }
    return true;
  } catch {
    return false;
  }
}

export function isPortOpen(port, host = '127.0.0.1', timeout = 1_000) {
  return new Promise((answer) => {
    const socket = connect({ port, host, timeout });
    const finish = (open) => {
      socket.destroy();
      answer(open);
    };
    socket
      .once('connect', () => finish(true))
      .once('error', () => finish(false))
      // After a pause of this process, a connection may be established that it has not noticed yet.
      .once('timeout', () => setImmediate(() => finish(false)));
  });
}

/**
 * Resolves when the port accepts connections, or once `answers(port)` is true. Rejects after the time-out, or at once when `gaveUp()` returns
 * a reason.
 */
export async function portOpens(port, { what, timeoutMs, gaveUp = () => undefined, answers = isPortOpen }) {
  const deadline = performance.now() + timeoutMs;
  while (!(await answers(port))) {
    const reason = gaveUp() ?? (performance.now() > deadline ? `not there after ${timeoutMs} ms` : undefined);
    if (reason) throw new Expected(`${what} on port ${port}: ${reason}`);
    await delay(50);
  }
}
