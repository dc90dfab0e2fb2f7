import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { openFront, type Front } from './front.js';

describe('an address that is known before its service', () => {
  const servers: Server[] = [];
  let front: Front;
  beforeEach(async () => (front = await openFront()));
  afterEach(async () => {
    await front.close();
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });

  async function serve(text: string): Promise<string> {
    const server = createServer((_request, response) => void response.end(text)).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const asked = async () => (await fetch(front.url, { headers: { connection: 'close' } })).text();

  const untilClosed = async () => {
    const socket = connect(Number(new URL(front.url).port), '127.0.0.1').on('error', () => undefined);
    await new Promise((closed) => socket.resume().on('close', closed));
  };

  it('closes connections until it leads somewhere', async () => {
    await untilClosed();
  });

  it('leads to the service, and to the one that takes its place', async () => {
    front.leadTo(await serve('the first'));
    expect(await asked()).toBe('the first');
    front.leadTo(await serve('the second'));
    expect(await asked()).toBe('the second');
  });

  it('closes connections while the service is gone', async () => {
    front.leadTo('http://127.0.0.1:1');
    await untilClosed();
  });
});
