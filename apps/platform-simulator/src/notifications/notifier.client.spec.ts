import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MOST_AT_ONCE, Notifier } from './notifier.client.js';

let server: Server;
let notifier: Notifier;
afterEach(async () => {
  await notifier.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

it('a notification that waits for its turn has all of its time then', async () => {
  let asked = 0;
  server = createServer((_request, response) => {
    if (++asked > MOST_AT_ONCE) response.end('OK');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // A busy machine takes longer than half a second for one answer.
  notifier = new Notifier(2_000);

  const { signal } = new AbortController();
  const attempts = await Promise.all(
    Array.from({ length: MOST_AT_ONCE + 1 }, () => notifier.deliver(address, 'get', [['ORDERID', 'order-1']], signal)),
  );

  expect(attempts.map(({ isAccepted }) => isAccepted)).toEqual([
    ...Array.from({ length: MOST_AT_ONCE }, () => false),
    true,
  ]);
});
