import { BadRequestException, type ArgumentsHost } from '@nestjs/common';
import type { ServiceLogger } from '@tranche/service-kit';
import { FailureFilter } from './failure.filter.js';
import type { FailureLimitService } from './limits/failure-limit.service.js';
import type { NotificationService } from './notification.service.js';

function answered() {
  const sent: { status?: number; body?: string } = {};
  const reply = {
    header: () => reply,
    headers: () => reply,
    type: () => reply,
    code: (status: number) => ((sent.status = status), reply),
    send: (body: string) => ((sent.body = body), reply),
  };
  const url = '/notifications';
  const request = { ip: '192.0.2.1', url, originalUrl: url, method: 'GET', raw: { headers: {} }, routeOptions: {} };
  const http = { getRequest: () => request, getResponse: () => reply };
  return { sent, host: { getType: () => 'http', switchToHttp: () => http } as unknown as ArgumentsHost };
}

const log = { debug: () => undefined, error: jest.fn() };
const notifications = { refuseUnrouted: () => undefined };

function filterOf(countFailure: () => Promise<number | undefined>): FailureFilter {
  return new FailureFilter(
    log as unknown as ServiceLogger,
    notifications as unknown as NotificationService,
    { countFailure } as unknown as FailureLimitService,
  );
}

it('answers 429 to an address that failed too often', async () => {
  const { sent, host } = answered();
  await filterOf(() => Promise.resolve(7)).catch(new BadRequestException(), host);
  expect(sent.status).toBe(429);
});

it('answers even if the failure cannot be counted: Nest does not catch a rejection of an asynchronous filter', async () => {
  const { sent, host } = answered();
  await filterOf(() => Promise.reject(new Error('no address'))).catch(new BadRequestException(), host);
  expect(sent.status).toBe(400);
  expect(log.error).toHaveBeenCalledWith(expect.anything(), 'A failed request could not be counted');
});
