import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Serves the platform's API of a bench: it answers each request with the next JSON of `answer`. */
export async function startAnswering(answer: () => string): Promise<{ url: string } & Disposable> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(answer()));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.dispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
