import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fakeOperations } from '../../test/fake-operations.js';
import { aTerminal } from '../../test/run-tranche.js';

let server: Server;
let operations: Awaited<ReturnType<typeof fakeOperations>>;
let terminal: ReturnType<typeof aTerminal>;
let says: Record<string, object>;
const asked: string[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const said = says[(request.url ?? '').split('?')[0]!];
    response.writeHead(said === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(said ?? { error: 'not here' }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  operations = await fakeOperations();
  const SIMULATOR_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  terminal = aTerminal({ SIMULATOR_URL, OPERATIONS_URL: operations.url, TRANCHE_TOKEN: 'token-of-alice' });
});
afterAll(async () => {
  server.close();
  await operations.close();
  terminal.close();
});
beforeEach(() => {
  says = { '/simulator/clock': { now: '2027-03-01T10:00:00.000Z', offsetSeconds: 0 } };
  operations.says({});
  asked.splice(0);
});

it('lists ten situations', async () => {
  const { code, out } = await terminal.run(['drill']);
  expect(code).toBe(0);
  expect(out.trim().split('\n')).toHaveLength(11);
});

it('names a situation that it does not know', async () => {
  const { code, err } = await terminal.run(['drill', 'start', '11']);
  expect([code, asked]).toEqual([2, []]);
  expect(err).toContain('It must be a number from 1 to 10');
});

it.each([['start'], ['check'], ['back-office', 'order-1']])('%s asks nobody in production', async (...args) => {
  const { code, err } = await terminal.run(['drill', ...args], { TOPICS: 'check' });
  expect([code, asked, operations.requests]).toEqual([3, [], []]);
  expect(err).toContain('this is production');
});

it.each([
  ['answers something else', {}],
  ['has another clock', { '/simulator/clock': { now: 'noon' } }],
])('does nothing where what is at SIMULATOR_URL %s', async (_, answers) => {
  says = answers;
  const { code } = await terminal.run(['drill', 'start', 'executed']);
  expect([code, operations.requests]).toEqual([3, []]);
});

const SETTLED = { '0000': 30_000, '4001': 0 };
it.each([
  ['solved', 0, '0000', 30_000, { maybeTwice: 0, leftUndone: 0 }],
  ['wrong', 6, '0000', 0, { maybeTwice: 30_000, leftUndone: 0 }],
  ['wrong', 6, '4001', 30_000, { maybeTwice: 0, leftUndone: 30_000 }],
] as const)('is %s (%d) where the platform says %s and the order here %d', async (verdict, exitCode, finalExecCode, captured, cost) => {
  const orderId = `drill-${Date.parse('2027-03-01T10:00:00.000Z').toString(36)}-q`;
  const movedAt = '2027-03-01T10:03:00.000Z';
  const listed = { merchant: 'shop-fr', orderId, status: 'captured', movedAt };
  operations.says({
    'GET /v1/orders': { orders: [listed] },
    'GET /v1/audit': { entries: [] },
    'GET /v1/dead-letters': { entries: [] },
    [`GET /v1/orders/shop-fr/${orderId}`]: {
      ...{ ...listed, amounts: { captured }, attention: [], state: {}, asOf: { partition: 0, next: '7' } },
    },
  });
  const operation = { operationType: 'capture', amount: 30_000, finalExecCode };
  says['/simulator/ledger'] = { calls: [], operations: [operation] };
  const { code, out } = await terminal.run(['drill', 'check', '-o', 'json']);
  expect(JSON.parse(out)).toMatchObject({ verdict, cost, minutes: 3, platform: { captured: SETTLED[finalExecCode] } });
  expect(code).toBe(exitCode);
  const money = (amount: number) => `${amount / 100}.00 EUR`;
  const text = await terminal.run(['drill', 'check']);
  expect(text.out).toContain(`${money(cost.maybeTwice)} may be moved twice, ${money(cost.leftUndone)} left undone`);
}); // prettier-ignore
