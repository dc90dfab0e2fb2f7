import { EventEmitter } from 'node:events';
import type { HttpAdapterHost } from '@nestjs/core';
import { KitConfig, loadConfig } from '@tranche/service-kit';
import type { NotificationService } from './notification.service.js';
import { UnparsedRequests } from './failure.filter.js';

it.each([
  ['that a trusted proxy names', '10.0.0.1', 'X-Forwarded-For: 6.6.6.6, 198.51.100.9\r\n', '198.51.100.9'],
  ['of the socket if a client names another', '203.0.113.1', 'X-Forwarded-For: 198.51.100.9\r\n', '203.0.113.1'],
  ['of the proxy if only the body names another', '10.0.0.1', '\r\nX-Forwarded-For: 198.51.100.9\r\n', '10.0.0.1'],
])('a request that cannot be parsed is kept with the address %s', (_what, remoteAddress, headers, address) => {
  const server = new EventEmitter();
  const refuseUnreadable = jest.fn();
  const host = { httpAdapter: { getHttpServer: () => server } } as unknown as HttpAdapterHost;
  const kit = loadConfig(KitConfig, { TRUSTED_PROXIES: '10.0.0.0/8' });
  new UnparsedRequests(host, { refuseUnreadable } as unknown as NotificationService, kit).onModuleInit();
  const rawPacket = Buffer.from(`GET /notifications?A=\xe9 HTTP/1.1\r\n${headers}\r\n`, 'latin1');
  server.emit('clientError', { code: 'HPE_INVALID_URL', rawPacket }, { remoteAddress });
  expect(refuseUnreadable.mock.calls.map(([, , from]) => from as string)).toEqual([address]);
});
