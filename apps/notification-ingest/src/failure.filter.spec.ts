import { BadRequestException, UnsupportedMediaTypeException, type ArgumentsHost } from '@nestjs/common';
import type { Metrics, ServiceLogger } from '@tranche/service-kit';
import { FailureFilter } from './failure.filter.js';
import type { IngestConfig } from './ingest.config.js';
import type { FailureLimits } from './limits/failure-limits.store.js';
import type { NotificationService } from './notification.service.js';
import { BrowserReturns } from './return/browser-return.service.js';

function answered(url = '/notifications') {
  const sent: { status?: number; body?: string; headers: Record<string, string> } = { headers: {} };
  const reply = {
    header: () => reply,
    headers: (headers: Record<string, string>) => (Object.assign(sent.headers, headers), reply),
    type: () => reply,
    code: (status: number) => ((sent.status = status), reply),
    send: (body: string) => ((sent.body = body), reply),
  };
  const request = { ip: '192.0.2.1', url, originalUrl: url, method: 'GET', raw: { headers: {} }, routeOptions: {} };
  const http = { getRequest: () => request, getResponse: () => reply };
  return { sent, host: { getType: () => 'http', switchToHttp: () => http } as unknown as ArgumentsHost };
}

const log = { debug: () => undefined, error: jest.fn() };
const notifications = { refuseUnrouted: () => undefined };

const pageUrl = 'https://shop.example/thanks';
const returnPages = [{ name: 'app', url: 'https://app.example/paid' }];
const merchants = {
  byName: (name: string) => (name === 'shop-fr' ? { merchant: name, pageUrl, returnPages } : undefined),
};
const metrics = { counter: () => ({ inc: () => undefined }) };

function filterOf(countFailure: () => Promise<number | undefined>): FailureFilter {
  return new FailureFilter(
    log as unknown as ServiceLogger,
    notifications as unknown as NotificationService,
    { countFailure } as unknown as FailureLimits,
    new BrowserReturns({ merchants } as unknown as IngestConfig, metrics as unknown as Metrics),
  );
}

it.each([
  ['/Return/shop-fr', 303, 'https://shop.example/thanks?hint=unknown'],
  ['//return/shop-fr?ORDERID=7&EXECCODE=0000&EXTRADATA=rp1.app', 303, 'https://shop.example/thanks?hint=unknown'],
  ['/return/shop-de', 415, undefined],
  ['/return?next=https://evil.example', 415, undefined],
])('a browser that comes to %s is answered %i, never with problem JSON', async (url, status, location) => {
  const { sent, host } = answered(url);
  await filterOf(() => Promise.resolve(7)).catch(new UnsupportedMediaTypeException(), host);
  expect([sent.status, sent.headers['location']]).toEqual([status, location]);
  if (location === undefined) expect(sent.body).toMatch(/^<!doctype html>/);
});

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
