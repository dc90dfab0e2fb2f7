import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Front {
  readonly url: string;
  /** New connections go to this address; open ones remain with the earlier one. */
  leadTo(url: string): void;
  close(): Promise<void>;
}

/**
 * An address that is known before its service starts, and stays when another process replaces it, as a DNS name does. Closes connections
 * until `leadTo`.
 */
export async function openFront({ protocol = 'http:', host = '127.0.0.1', port = 0 } = {}): Promise<Front> {
  let target: URL | undefined;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    if (target === undefined) return void near.destroy();
    const far = connect(Number(target.port), target.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy()).on('close', () => (sockets.delete(one), other.destroy()));
    }
    near.pipe(far).pipe(near);
  }).listen(port, host);
  await once(server, 'listening');
  return {
    url: `${protocol}//${host}:${(server.address() as AddressInfo).port}`,
    leadTo: (url) => void (target = new URL(url)),
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
