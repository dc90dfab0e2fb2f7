import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { problemOf } from './problem.filter.js';

it('takes a body that breaks off for a fault of its sender, and a connection of our own that does for one of ours', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nhost: shop\r\ncontent-length: 9\r\n\r\n{"or');
  const [request] = (await once(server, 'request')) as [IncomingMessage];
  socket.resetAndDestroy();
  const [brokenOff] = (await once(request, 'error')) as [Error];
  server.close();
  expect(problemOf(brokenOff)).toMatchObject({ status: 400, code: 'malformed_request' });
  expect(problemOf(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })).status).toBe(500);
});
