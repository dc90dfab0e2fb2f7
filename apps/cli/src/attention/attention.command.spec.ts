import { fakeOperations } from '../../test/fake-operations.js';
import { aTerminal } from '../../test/run-tranche.js';
import { nextOf } from './attention.command.js';

const page = {
  counts: [{ kind: 'doubt', number: 1, amounts: { EUR: 25_000 }, oldest: '2027-03-01T10:00:00.000Z' }],
  items: [
    { kind: 'dead_letters', merchant: 'shop-fr', number: 3, about: { reason: 'unreadable' } },
    {
      ...{ kind: 'doubt', id: 'WyJzaG9wLWZyIiwib3JkZXItMSIsImMtMSJd', merchant: 'shop-fr', orderId: 'order-1\u202e' },
      ...{ since: '2027-03-01T10:00:00.000Z', amount: 25_000, currency: 'EUR' },
      about: { operation: 'capture', reason: 'timeout', byItself: [{ what: 'look_up_1_hour', at: '2027-03-01T11:00:00.000Z' }] },
    },
  ],
  behind: 0,
}; // prettier-ignore

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
beforeEach(() => operations.says({ 'GET /v1/attention': page }));

it('lists what needs a person, what happens by itself, and the command that goes on', async () => {
  const { code, out, err } = await terminal.run(['attention', '--merchant', 'shop-fr', '--sort', 'age']);
  expect(code).toBe(0);
  expect(out.split('\n')[2]).toMatch(
    /^2 +doubt +shop-fr\/order-1\\u202e +250\.00 EUR .* the platform is asked .* capture, timeout +tranche show \S+$/,
  );
  expect(err).toMatch(/^1 doubt, 250\.00 EUR, oldest /);
  expect(operations.requests).toMatchObject([
    { url: '/v1/attention?limit=50&merchant=shop-fr&sort=age', authorization: 'Bearer token-of-alice' },
  ]);
});

it('a number is a row of the last list, of this terminal and profile', async () => {
  await terminal.run(['attention']);
  const { err } = await terminal.run(['show', '2']);
  expect(operations.requests.map(({ url }) => url)).toContain('/v1/orders/shop-fr/order-1%E2%80%AE');
  expect(err).not.toContain('no such row');
  expect(await terminal.run(['show', '1'])).toMatchObject({ code: 2, err: expect.stringContaining('no single order') });
  expect(await terminal.run(['show', '9'])).toMatchObject({ code: 2, err: expect.stringContaining('no such row') });
});

it.each([
  ['json', (out: string) => JSON.parse(out) as unknown, page],
  ['jsonl', (out: string) => JSON.parse(out.split('\n')[0]!) as unknown, { ...page.items[0], row: 1 }],
  ['csv', (out: string) => out.split('\n')[0], 'row,kind,order,amount,since,act by,by itself,what,next'],
])('-o %s has the data alone on stdout', async (format, read, expected) => {
  const { out } = await terminal.run(['attention', '-o', format]);
  expect(read(out)).toEqual(expected);
});

it('says what is not in the list, and ends with 6', async () => {
  operations.says({ 'GET /v1/attention': { ...page, behind: 7, missing: ['proposals'] } });
  const { code, err } = await terminal.run(['attention']);
  expect(code).toBe(6);
  expect(err).toContain('the gateway did not answer: proposals');
  expect(err).toContain('lacks 7 records');
});

it('says which partitions of the index are being built, also with -o json, where the answer has them', async () => {
  operations.says({ 'GET /v1/attention': { ...page, beingBuilt: [3, 7] } });
  const says = expect.stringContaining('builds its index of partitions 3, 7 anew: nothing can be decided');
  expect(await terminal.run(['attention'])).toMatchObject({ code: 0, err: says });
  const { out, err } = await terminal.run(['attention', '-o', 'json']);
  expect([JSON.parse(out), err]).toMatchObject([{ beingBuilt: [3, 7] }, says]);
});

const one = { kind: 'doubt', id: 'x', merchant: 'shop-fr', orderId: "it's 1", about: {} };
it.each([
  [one, String.raw`tranche show 'shop-fr/it'\''s 1'`],
  [{ ...one, kind: 'frozen', orderId: 'order-1' }, 'tranche timeline shop-fr/order-1'],
  [{ kind: 'proposal', id: 'p-1', merchant: 'shop-fr', orderId: 'order-1', about: {} }, 'tranche approve p-1'],
  [{ kind: 'dead_letters', merchant: 'shop-fr', about: { reason: 'unreadable' } }, 'tranche dead-letters --merchant shop-fr --kind unreadable'],
  [{ kind: 'quarantine', about: { reason: 'not_found' } }, 'tranche quarantine list --kind not_found'],
  [{ kind: 'rail', about: { rail: 'partner-b' } }, 'tranche controls'],
  [{ kind: 'control', about: { scope: 'merchant:shop-fr' } }, 'tranche controls'],
  [{ kind: 'partition', about: { topic: 't', partition: 1 } }, 'tranche doctor'],
])('what goes on with %j is a whole line', (item, line) => {
  expect(nextOf(item as Parameters<typeof nextOf>[0])).toBe(line);
}); // prettier-ignore
