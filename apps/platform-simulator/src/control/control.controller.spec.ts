import { instalment, runSimulator, type RunningSimulator } from '../../test/running-simulator.js';

let simulator: RunningSimulator;
beforeAll(async () => {
  simulator = await runSimulator({}, { latencyMs: [20, 30], publicUrl: 'https://pay.example', codesByAmount: false });
});
afterAll(() => simulator.stop());
beforeEach(() => simulator.json('POST', '/simulator/reset'));

it.each(['live', 'ready'])('GET /health/%s', async (which) => {
  expect(await simulator.json('GET', `/health/${which}`)).toMatchObject({ status: 200, body: { status: 'ok' } });
});

it('the clock travels by seconds or to a time, and back by a reset', async () => {
  expect((await simulator.advance(86_400)).body.offsetSeconds).toBe(86_400);
  expect((await simulator.advance(-400)).body.offsetSeconds).toBe(86_000);
  const now = '2030-01-02T03:04:05Z';
  const began = performance.now();
  const { body } = await simulator.json('POST', '/simulator/clock', { now });
  const wentOnMs = Date.parse(body.now) - Date.parse(now);
  expect(wentOnMs).toBeGreaterThanOrEqual(0);
  expect(wentOnMs).toBeLessThan(performance.now() - began + 1_000);
  await simulator.json('POST', '/simulator/reset');
  expect((await simulator.json('GET', '/simulator/clock')).body.offsetSeconds).toBe(0);
});

it.each([
  ['POST', '/simulator/clock', {}, 400],
  ['POST', '/simulator/clock', { now: 'soon' }, 400],
  ['POST', '/simulator/transactions/nope/decide', { decision: 'approve' }, 404],
  ['POST', '/simulator/transactions/nope/decide', { decision: 'maybe' }, 400],
  ['POST', '/simulator/refunds', { identifier: 'Shop', orderId: 'nope' }, 404],
  ['POST', '/simulator/refunds', { identifier: 'Shop', orderId: 'nope', amount: -1 }, 400],
  ['POST', '/simulator/refunds', {}, 400],
  ['POST', '/simulator/captures', { identifier: 'Shop', orderId: 'nope' }, 404],
  ['POST', '/simulator/notifications/suppressed', {}, 400],
  ['POST', '/simulator/notifications/suppressed', { identifier: 'Shop', orderId: 'o', times: 3 }, 400],
  ['POST', '/simulator/tokens', { identifier: 'Nobody' }, 400],
  ['POST', '/simulator/tokens', { identifier: 'Shop', cardCode: '12' }, 400],
  ['POST', '/simulator/notifications/mode', { merchant: 'shop', mode: 'pigeon' }, 400],
  ['POST', '/simulator/notifications/mode', { merchant: 'nobody', mode: 'get' }, 400],
  ['GET', '/nowhere', undefined, 404],
])('%s %s %j → %i', async (method, path, body, status) => {
  expect((await simulator.json(method, path, body)).status).toBe(status);
});

it('settings: latency of every answer, public address, amounts without meaning', async () => {
  const began = performance.now();
  const { answer } = await simulator.operate(instalment({ AMOUNT: '24001' }));
  expect(performance.now() - began).toBeGreaterThanOrEqual(19);
  expect(answer.EXECCODE).toBe('0002');
  expect(Buffer.from(answer.REDIRECTHTML ?? '', 'base64').toString()).toContain(
    `action="https://pay.example/form/${answer.TRANSACTIONID}"`,
  );
});

it('a reset forgets everything', async () => {
  const { answer } = await simulator.operate(instalment());
  await simulator.fault({}, { dropBefore: true });
  await simulator.json('POST', '/simulator/reset');
  expect(await simulator.ledger()).toEqual({
    calls: [],
    operations: [],
    counts: [],
    totals: { calls: 0, callsForgotten: 0, operations: 0, executedTwice: 0 },
  });
  expect((await simulator.json('GET', '/simulator/faults')).body).toEqual([]);
  expect(
    (await simulator.operate({ OPERATIONTYPE: 'capture', TRANSACTIONID: answer.TRANSACTIONID ?? '' })).answer.EXECCODE,
  ).toBe('2002');
});

it('shows the ledger of the orders whose ids begin so', async () => {
  for (const ORDERID of ['run-1-a', 'run-1-b', 'run-2-a']) await simulator.operate(instalment({ ORDERID }));
  const { calls, operations, counts } = await simulator.ledger('?orderPrefix=run-1-');
  for (const list of [calls, operations, counts])
    expect(list.map((one) => one.orderId)).toEqual(['run-1-a', 'run-1-b']);
});

it('GET /simulator/totals reports if the lists are complete', async () => {
  await simulator.operate(instalment());
  expect((await simulator.json('GET', '/simulator/totals')).body).toEqual({
    calls: 1,
    callsForgotten: 0,
    operations: 1,
    notifications: 0,
    notificationsForgotten: 0,
    forgeries: 0,
  });
});
