import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeCloudEvent } from '@tranche/contracts';
import { example, fakeOperations, problem } from '../../test/fake-operations.js';
import { aTerminal } from '../../test/run-tranche.js';

const DRY = 'POST /v1/replays?dryRun=true';
const REASON = ['--reason', 'amount was a text, ticket 832'];
const mended = {
  ...{ specversion: '1.0', id: 'command-1', source: '/shop', type: 'payment.capture', time: '2027-03-01T10:00:00Z' },
  data: { merchant: 'shop-fr', orderId: 'order-1001', amount: 25_000 },
};
const judged = (verdict: string) => example('Replay', { verdict, merchant: 'shop-fr', orderId: 'order-1001' });

let operations: Awaited<ReturnType<typeof fakeOperations>>;
let terminal: ReturnType<typeof aTerminal>;
let file: string;
beforeAll(async () => {
  operations = await fakeOperations();
  terminal = aTerminal({ OPERATIONS_URL: operations.url, TRANCHE_TOKEN: 'token-of-alice' });
  file = join(terminal.home, 'mended.json');
});
beforeEach(() => writeFileSync(file, JSON.stringify(mended)));
afterAll(async () => {
  await operations.close();
  terminal.close();
});

const replay = (...args: string[]) => terminal.run(['replay', '3-42', '--command', file, ...REASON, ...args]);
const posted = () => operations.requests.map(({ url }) => url);

it('a mended command is judged, and then published in place of the dead letter', async () => {
  operations.says({ 'POST /v1/replays': judged('attempt') });
  expect(await replay('--yes')).toMatchObject({ code: 0, err: expect.stringContaining('shop-fr/order-1001: attempt') });
  expect(posted()).toEqual(['/v1/replays?dryRun=true', '/v1/replays']);
  const asked = { topic: 'payments.commands.dead-letter.v1', partition: 3, offset: '42', command: mended, reason: REASON[1] };
  expect(operations.requests.map(({ body }) => body)).toEqual([asked, asked]);
}); // prettier-ignore

it('a record of a topic is taken too, and is the same command', async () => {
  const { headers, value } = encodeCloudEvent({ ...mended, datacontenttype: 'application/json' });
  writeFileSync(file, JSON.stringify({ headers, value: value.toString() }));
  operations.says({ [DRY]: judged('attempt') });
  await replay('--dry-run');
  expect(operations.requests[0]?.body).toMatchObject({ command: mended });
});

it.each([
  ['attempt', [], 0],
  ['repeat', [], 0],
  ['wait', [], 3],
  ['in-doubt', ['--even-if-old'], 3],
  ['too-old', [], 3],
  ['too-old', ['--even-if-old'], 0],
])('the verdict %s with %j ends with %d, and a dry run publishes nothing', async (verdict, more, code) => {
  operations.says({ 'POST /v1/replays': judged(verdict) });
  expect((await replay('--dry-run', ...more)).code).toBe(code);
  expect(posted()).toEqual(['/v1/replays?dryRun=true']);
  expect((await replay('--yes', ...more)).code).toBe(code);
  expect(posted().filter((url) => url === '/v1/replays')).toHaveLength(code === 0 ? 1 : 0);
});

it('every fault that the gateway finds is named', async () => {
  const faults = [
    { path: 'data.amount', code: 'invalid', message: 'must be an integer' },
    { path: 'id', code: 'missing', message: 'is missing' },
  ];
  operations.says({ [DRY]: [409, problem(409, 'not_replayable', { faults })] });
  const { code, err } = await replay('--yes');
  expect(code).toBe(3);
  expect(err).toContain('data.amount must be an integer');
  expect(err).toContain('id is missing');
});

it.each([
  ['no JSON', '{"specversion":', /is not JSON/],
  ['a name twice', '{"specversion":"1.0","id":"a","id":"b"}', /id is there twice/],
  ['no command', '{"amount":1}', /is no command/],
  ['two commands', JSON.stringify([mended, mended]), /has 2 commands: give one/],
  ['nothing', '', /is empty/],
])('a file with %s is refused and nobody is asked', async (_, text, says) => {
  writeFileSync(file, text);
  operations.says({});
  const { code, err } = await terminal.run(['replay', '3-42', '--command', file, ...REASON]);
  expect(code).toBe(2);
  expect(err).toMatch(says);
  expect(posted()).toEqual([]);
});

it('what is too old says the whole line that publishes it all the same', async () => {
  operations.says({ 'POST /v1/replays': judged('too-old') });
  const { err } = await replay('--yes');
  expect(err).toMatch(
    /next, if its shop still wants it: tranche replay \d+-\d+ --command \S+ --reason '[^']+' --even-if-old$/m,
  );
});
