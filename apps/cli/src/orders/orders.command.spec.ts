import { emptyOrder, fold, type JournalRecord } from '@tranche/order-journal';
import { fakeOperations } from '../../test/fake-operations.js';
import { aTerminal } from '../../test/run-tranche.js';

const at = '2027-03-01T10:00:00.000Z';
const of = { rulesVersion: 1, merchant: 'shop-fr', orderId: 'order-1', commandId: 'c-1', attempt: 1, token: 't' };
const records: JournalRecord[] = [
  { ...of, ...{ record: 'INTENT', at, operation: 'authorize', method: 'A', currency: 'EUR', amount: 25_000, contentHash: 'h' } },
  { ...of, ...{ record: 'IN_DOUBT', at, reason: 'timeout', message: 'No answer' } },
]; // prettier-ignore
const state = records.reduce(
  (order, record, offset) => fold(order, record, BigInt(offset)).order,
  emptyOrder('shop-fr', 'order-1'),
);
const PATH = 'GET /v1/orders/shop-fr/order-1';
const amounts = { currency: 'EUR', authorized: 0, captured: 25_000, refunded: null, assumed: [] };
const about = {
  commandId: 'c-1',
  operation: 'authorize',
  reason: 'timeout',
  blocks: 'commands of this order: order_in_doubt',
};
const order = {
  ...{ merchant: 'shop-fr', orderId: 'order-1', status: 'in_doubt', amounts, movedAt: at, state },
  ...{ attention: [{ id: 'x', kind: 'doubt', about }], asOf: { partition: 3, next: '2' } },
};
const maker = { partition: 3, offset: '1', kind: 'IN_DOUBT', at };
const timeline = {
  ...{ merchant: 'shop-fr', orderId: 'order-1', status: 'in_doubt', amounts, state },
  why: { status: maker, 'operations.c-1.phase': maker },
  entries: records.map((body, offset) => ({
    ...{ topic: 'payments.journal.v1', partition: 3, offset: String(offset), at, kind: body.record, body },
  })),
};

let operations: Awaited<ReturnType<typeof fakeOperations>>;
let terminal: ReturnType<typeof aTerminal>;
beforeAll(async () => {
  operations = await fakeOperations();
  terminal = aTerminal({ OPERATIONS_URL: operations.url, TRANCHE_TOKEN: 'token-of-alice' });
});
afterAll(async () => {
  await operations.close();
  terminal.close();
});
beforeEach(() =>
  operations.says({ [PATH]: order, [`${PATH}/timeline`]: timeline, 'GET /v1/orders': { orders: [order].map(({ state: _s, attention: _a, asOf: _o, amounts: _m, ...found }) => found) } }),
); // prettier-ignore

it('shows an order, its operations, and what lifts what is blocked', async () => {
  const { code, out, err } = await terminal.run(['show', 'shop-fr/order-1']);
  expect(code).toBe(0);
  expect(out).toMatch(/^amounts: +captured 250\.00 EUR, refunded unknown$/m);
  expect(out).toMatch(/^authorize +in_doubt +250\.00 EUR +1 +- .* c-1$/m);
  expect(err).toContain('blocks commands of this order: order_in_doubt, until it is decided');
  expect(err).toMatch(
    /^ {2}next, if the back office has it, with 250\.00 EUR:\n {4}tranche resolve shop-fr\/order-1 succeeded /m,
  );
});

it('shows what was made elsewhere', async () => {
  const external = [{ operation: 'refund', result: 'succeeded', amount: 5_000, transactionId: 'T-9' }];
  operations.says({ [PATH]: { ...order, state: { ...state, external } } });
  const { err } = await terminal.run(['show', 'shop-fr/order-1']);
  expect(err).toContain('made elsewhere: refund, succeeded, 50.00 EUR, T-9');
});

it('-o json has the whole answer once', async () => {
  expect(JSON.parse((await terminal.run(['show', 'shop-fr/order-1', '-o', 'json'])).out)).toEqual(order);
  expect(JSON.parse((await terminal.run(['timeline', 'shop-fr/order-1', '-o', 'json'])).out)).toEqual(timeline);
});

it('tells what became of it, as it was then', async () => {
  const { out } = await terminal.run(['timeline', 'shop-fr/order-1', '--at', at]);
  expect(out).toMatch(/^2027-03-01T10:00:00\.000Z +IN_DOUBT +payments\.journal\.v1 3\/1 +timeout No answer$/m);
  expect(operations.requests.at(-1)?.url).toBe(`/v1/orders/shop-fr/order-1/timeline?at=${encodeURIComponent(at)}`);
});

it.each([
  ['status', /^status +in_doubt +IN_DOUBT .* 3\/1$/m],
  ['operations.c-1', /^operations\.c-1\.phase +in_doubt +IN_DOUBT /m],
])('why %s names the record that made it', async (field, line) => {
  expect((await terminal.run(['why', 'shop-fr/order-1', field])).out).toMatch(line);
  expect(await terminal.run(['why', 'shop-fr/order-1', 'colour'])).toMatchObject({ code: 1 });
});

it('finds orders, whose rows are short names', async () => {
  const { out } = await terminal.run(['search', 'order', '--status', 'in_doubt']);
  expect(out).toMatch(/^1 +shop-fr\/order-1 +in_doubt /m);
  expect(operations.requests.at(-1)?.url).toBe('/v1/orders?q=order&limit=50&status=in_doubt');
  await terminal.run(['show', '1']);
  expect(operations.requests.map(({ url }) => url)).toContain('/v1/orders/shop-fr/order-1');
  operations.says({ 'GET /v1/orders': { orders: [] } });
  expect(await terminal.run(['search', 'nothing'])).toMatchObject({ code: 1, err: 'no such order\n' });
});

it.each(['order-1', 'SHOP/1', 'shop-fr/'])('%s is no order', async (text) => {
  expect(await terminal.run(['show', text])).toMatchObject({ code: 2 });
});
