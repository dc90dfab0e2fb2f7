import { hashOf } from '../request/platform-hash.js';
import { formOf, instalment, runSimulator, type RunningSimulator } from '../../test/running-simulator.js';

let simulator: RunningSimulator;
beforeAll(async () => {
  simulator = await runSimulator({}, { lookupLagMs: 60_000 });
});
afterAll(() => simulator.stop());
beforeEach(() => simulator.json('POST', '/simulator/reset'));

const lookUp = async (parameters: Record<string, string>) => {
  const all = { IDENTIFIER: 'Shop', OPERATIONTYPE: 'getTransactions', VERSION: '3.0', ...parameters };
  const { answer } = await simulator.post(
    formOf({ ...all, HASH: hashOf('account-key', Object.entries(all)) }),
    {},
    '/front/service/rest/export',
  );
  return answer as unknown as { EXECCODE: string; DATA?: Record<string, string>[] };
};

it('finds by ORDERID and by TRANSACTIONID, several at once', async () => {
  const authorization = await simulator.authorized({ EXTRADATA: 'tag' });
  await simulator.operate({ OPERATIONTYPE: 'capture', TRANSACTIONID: authorization });
  await simulator.operate(instalment({ ORDERID: 'order-2' }));
  await simulator.advance(61);
  const { EXECCODE, DATA } = await lookUp({ ORDERID: 'order-1;order-2' });
  expect(EXECCODE).toBe('0000');
  expect(DATA?.map((row) => [row.OPERATIONTYPE, row.ORDERID, row.EXECCODE])).toEqual([
    ['authorization', 'order-1', '0000'],
    ['capture', 'order-1', '0000'],
    ['authorization', 'order-2', '0002'],
  ]);
  expect(await lookUp({ TRANSACTIONID: authorization })).toMatchObject({
    DATA: [{ TRANSACTIONID: authorization, EXTRADATA: 'tag', AMOUNT: '30000' }],
  });
});

it('lags: an absent transaction proves nothing', async () => {
  await simulator.operate(instalment());
  expect((await lookUp({ ORDERID: 'order-1' })).DATA).toEqual([]);
  await simulator.advance(61);
  expect((await lookUp({ ORDERID: 'order-1' })).DATA).toHaveLength(1);
});

it('refuses a wrong HASH, an account without look-up, and a question about nothing', async () => {
  expect((await lookUp({ ORDERID: 'o', IDENTIFIER: 'Tienda' })).EXECCODE).toBe('3003');
  expect((await lookUp({})).EXECCODE).toBe('1001');
  const body = formOf({ IDENTIFIER: 'Shop', OPERATIONTYPE: 'getTransactions', ORDERID: 'o', HASH: 'f'.repeat(64) });
  expect((await simulator.post(body, {}, '/front/service/rest/export')).answer.EXECCODE).toBe('1003');
  expect((await simulator.post('', {}, '/front/service/rest/export')).answer.EXECCODE).toBe('1005');
});

it('can be disturbed by fault rules, and the ledger counts the calls', async () => {
  await simulator.fault({ operation: 'getTransactions', times: 1 }, { status5xx: { when: 'before', status: 503 } });
  await simulator.fault({ operation: 'getTransactions', orderPrefix: 'order-', times: 1 }, { execCode: '3004' });
  const body = formOf({ IDENTIFIER: 'Shop', OPERATIONTYPE: 'getTransactions', ORDERID: 'o' });
  expect((await simulator.post(body, {}, '/front/service/rest/export')).status).toBe(503);
  expect((await lookUp({ ORDERID: 'order-1' })).EXECCODE).toBe('3004');
  expect((await lookUp({ ORDERID: 'order-1' })).EXECCODE).toBe('0000');
  const { calls } = await simulator.ledger();
  expect(calls.map(({ operation, orderId, answered }) => [operation, orderId, answered])).toEqual([
    ['getTransactions', 'o', 'HTTP 503'],
    ['getTransactions', 'order-1', '3004'],
    ['getTransactions', 'order-1', '0000'],
  ]);
});
