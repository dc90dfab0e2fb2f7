import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readMerchants } from '@tranche/contracts';
import type { Ledger } from '../src/control/ledger.store.js';
import type { Notification } from '../src/notifications/notifications.service.js';
import { hashOf } from '../src/request/platform-hash.js';
import { startSimulator } from '../src/simulator.module.js';
import type { Settings } from '../src/simulator.config.js';

export const API_KEY_ID = '00000000-0000-4000-8000-000000000001';
export const OTHER_API_KEY_ID = '00000000-0000-4000-8000-000000000002';

interface TestMerchant {
  readonly notificationUrl?: string;
  readonly returnUrl?: string;
}

const merchantList = ({ notificationUrl, returnUrl }: TestMerchant) => {
  const addresses = { ...(notificationUrl && { notificationUrl }), ...(returnUrl && { returnUrl }) };
  return [
    {
      merchant: 'shop',
      identifier: 'Shop',
      accountKey: 'account-key',
      notificationKey: 'notification-key',
      redirectKey: 'redirect-key',
      apiKeys: [{ id: API_KEY_ID, key: 'api-key' }],
      lookup: true,
      ...addresses,
    },
    {
      merchant: 'tienda',
      identifier: 'Tienda',
      accountKey: 'account-key',
      apiKeys: [{ id: OTHER_API_KEY_ID, key: 'other-api-key' }],
      market: 'ES',
      ...addresses,
    },
    { merchant: 'guarded', identifier: 'Guarded', accountKey: 'account-key', authAccount: 'tech', ...addresses },
  ];
};

export type RunningSimulator = Awaited<ReturnType<typeof runSimulator>>;

export async function runSimulator(addresses: TestMerchant = {}, overrides: Partial<Settings> = {}) {
  const read = readMerchants(merchantList(addresses), () => '');
  if ('faults' in read) throw new Error(JSON.stringify(read.faults));
  const { port, stop } = await startSimulator({
    host: '127.0.0.1',
    port: 0,
    logLevel: 'silent',
    merchants: read.merchants,
    accounts: [
      {
        account: 'tech',
        grant: 'client_credentials',
        clientId: 'tech-id',
        clientSecret: 'tech-secret',
        realm: '/realms/demo',
      },
      {
        account: 'other',
        grant: 'client_credentials',
        clientId: 'other-id',
        clientSecret: 'other-secret',
        realm: '/realms/demo',
      },
      { account: 'person', grant: 'password', username: 'jane', password: 'jane-password', realm: '/realms/people' },
    ],
    latencyMs: [0, 0],
    notificationRetryMs: [10, 20, 40],
    notificationMode: 'get',
    tokenLifetimeSeconds: 43_200,
    codesByAmount: true,
    requiresSelectedBrand: false,
    takesUnlistedParameters: false,
    lookupLagMs: 0,
    ...overrides,
  });
  const url = `http://127.0.0.1:${port}`;
  const json = async (method: string, path: string, body?: unknown) => {
    const headers = body === undefined ? undefined : { 'content-type': 'application/json' };
    const response = await fetch(url + path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text), headers: response.headers };
  };
  return {
    url,
    stop,
    json,
    async operate(parameters: Record<string, string>, { key = 'account-key', headers = {} }: OperateOptions = {}) {
      const all = { IDENTIFIER: 'Shop', VERSION: '3.0', ...parameters };
      const signed = { HASH: hashOf(key, Object.entries(all)), ...all };
      return this.post(formOf(signed), headers);
    },
    async post(body: string, headers: Record<string, string> = {}, path = '/front/service/rest/process') {
      const type = { 'content-type': 'application/x-www-form-urlencoded' };
      const response = await fetch(url + path, { method: 'POST', headers: { ...type, ...headers }, body });
      const text = await response.text();
      const answer = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : {};
      return { status: response.status, answer: answer as Record<string, string>, headers: response.headers };
    },
    decide: (transactionId: string, decision: string) =>
      fetch(`${url}/form/${transactionId}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: `decision=${decision}`,
        redirect: 'manual',
      }),
    fault: (match: object, fault: object) => json('POST', '/simulator/faults', { match, fault }),
    ledger: async (query = '') => (await json('GET', `/simulator/ledger${query}`)).body as ReturnType<Ledger['read']>,
    notifications: async (query = '') => (await json('GET', `/simulator/notifications${query}`)).body as Notification[],
    advance: (advanceSeconds: number) => json('POST', '/simulator/clock', { advanceSeconds }),
    /** Creates an authorization of method A or B and validates it as the cardholder. */
    async authorized(parameters: Record<string, string> = {}): Promise<string> {
      const { answer } = await this.operate(instalment(parameters));
      await this.decide(answer.TRANSACTIONID ?? '', 'validate');
      return answer.TRANSACTIONID ?? '';
    },
  };
}

interface OperateOptions {
  readonly key?: string;
  readonly headers?: Record<string, string>;
}

export function formOf(parameters: Record<string, string>): string {
  const form = new URLSearchParams({ method: parameters.OPERATIONTYPE ?? '' });
  for (const [name, value] of Object.entries(parameters)) {
    const [first, ...rest] = name.replaceAll(']', '').split('[');
    form.append(`params[${[first, ...rest].join('][')}]`, value);
  }
  return form.toString();
}

export const instalment = (parameters: Record<string, string> = {}): Record<string, string> => ({
  OPERATIONTYPE: 'authorization',
  PAYMENTOPTION: 'partnerA-3xcb',
  ORDERID: 'order-1',
  AMOUNT: '30000',
  DESCRIPTION: 'Three chairs',
  CLIENTIDENT: 'client-1',
  CLIENTEMAIL: 'jane@example.com',
  ...parameters,
});

interface Received {
  readonly method: string;
  readonly type: string;
  readonly parameters: Record<string, string>;
  readonly raw: string;
}

/** A merchant's NOTIFICATION_URL. It answers `200 OK` unless the test sets other answers. */
async function receiver() {
  const received: Received[] = [];
  const answers: { status: number; body: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      const type = request.headers['content-type'] ?? '';
      const raw = request.method === 'GET' ? (request.url ?? '').replace(/^[^?]*\??/, '') : body;
      received.push({
        method: request.method ?? '',
        type,
        raw,
        parameters: Object.fromEntries(new URLSearchParams(raw)),
      });
      const { status, body: text } = answers.shift() ?? { status: 200, body: 'OK' };
      response.writeHead(status).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/notifications`,
    received,
    answerNext: (status: number, body: string) => answers.push({ status, body }),
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A simulator and a shop that it notifies, for the tests of one file. Both are reset before each test. */
export function simulatorWithShop(addresses: Omit<TestMerchant, 'notificationUrl'> = {}) {
  const running = {} as { simulator: RunningSimulator; shop: Awaited<ReturnType<typeof receiver>> };
  beforeAll(async () => {
    running.shop = await receiver();
    running.simulator = await runSimulator({ notificationUrl: running.shop.url, ...addresses });
  });
  afterAll(async () => {
    await running.simulator.stop();
    await running.shop.stop();
  });
  beforeEach(async () => {
    await running.simulator.json('POST', '/simulator/reset');
    running.shop.received.length = 0;
  });
  return running;
}
