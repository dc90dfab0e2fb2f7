import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { example, fakeOperations, problem } from '../../test/fake-operations.js';
import { aTerminal } from '../../test/run-tranche.js';

const folder = mkdtempSync(join(tmpdir(), 'tranche-jobs-'));
const FILE = join(folder, 'export.csv');
writeFileSync(FILE, 'Order;Amount\norder-1;250.00\n');
const REASON = ['--reason', 'instance killed, ticket 812'];

const job = (more: object) =>
  example('Job', {
    id: 'j-1',
    kind: 'replay',
    status: 'planned',
    counts: { attempt: 2 },
    done: 0,
    failed: 0,
    total: 2,
    ...more,
  });
const item = (number: number, verdict: string) => ({ number, key: `shop-fr/order-${number}`, verdict, why: 'because' });

let operations: Awaited<ReturnType<typeof fakeOperations>>;
let terminal: ReturnType<typeof aTerminal>;
beforeAll(async () => {
  operations = await fakeOperations();
  terminal = aTerminal({ OPERATIONS_URL: operations.url, TRANCHE_TOKEN: 'token-of-alice' });
});
afterAll(async () => {
  await operations.close();
  terminal.close();
  rmSync(folder, { recursive: true });
});

const sent = () => operations.requests.filter(({ method }) => method === 'POST').map(({ url, body }) => [url, body]);

it.each([
  ['nothing differs', { matched: 3 }, 0],
  ['something differs', { matched: 3, 'only-there': 1 }, 6],
])('reconcile, where %s', async (_, counts, expected) => {
  operations.says({
    'POST /v1/jobs': [201, job({ kind: 'reconcile', status: 'done', counts })],
    'GET /v1/jobs/j-1/items?limit=500': { items: [item(1, 'matched')], next: 'more' },
    'GET /v1/jobs/j-1/items?cursor=more&limit=500': { items: [item(2, 'only-there')] },
  });
  const { code, out } = await terminal.run(['reconcile', FILE, '--merchant', 'shop-fr', ...REASON, '-o', 'jsonl']);
  expect(code).toBe(expected);
  expect(out.trim().split('\n').map((line) => (JSON.parse(line) as { number: number }).number)).toEqual([1, 2]);
  expect(sent()).toEqual([
    ['/v1/jobs', { kind: 'reconcile', csv: 'Order;Amount\norder-1;250.00\n', merchant: 'shop-fr', reason: REASON[1] }],
  ]);
}); // prettier-ignore

it('a plan is shown and not started with --dry-run', async () => {
  operations.says({ 'POST /v1/jobs': [201, job({})], 'GET /v1/jobs/j-1/items': { items: [item(1, 'attempt')] } });
  const { code, out, err } = await terminal.run(['jobs', 'replay', '--merchant', 'shop-fr', ...REASON, '--dry-run']);
  expect([code, sent().length]).toEqual([0, 1]);
  expect(out).toContain('attempt');
  expect(err).toContain('tranche jobs start j-1');
});

it('dead letters are named by rows of their list', async () => {
  const letter = example('Records', { entries: [{ id: '3-42', partition: 3, offset: '42', at: '2027-03-01T10:00:00.000Z', kind: 'unreadable', body: {} }] }); // prettier-ignore
  operations.says({ 'GET /v1/dead-letters': letter, 'POST /v1/jobs': [201, job({})], 'GET /v1/jobs/j-1/items': { items: [] } });
  expect(await terminal.run(['dead-letters'])).toMatchObject({ code: 0, err: '' });
  await terminal.run(['jobs', 'replay', '1', ...REASON, '--dry-run']);
  expect(sent()).toEqual([['/v1/jobs', { kind: 'replay', ids: ['3-42'], reason: REASON[1] }]]);
}); // prettier-ignore

it('a batch of resolutions awaits the approval of another person', async () => {
  const done = job({ kind: 'resolve-by-file', status: 'done', done: 2, counts: { propose: 2 } });
  operations.says({
    'POST /v1/jobs': [201, job({ kind: 'resolve-by-file' })],
    'GET /v1/jobs/j-1/items': { items: [] },
    'POST /v1/jobs/j-1/start': job({ kind: 'resolve-by-file', status: 'running' }),
    'GET /v1/jobs/j-1': done,
    'POST /v1/jobs/j-1/approve': done,
  });
  const { code, err } = await terminal.run([
    'jobs',
    'resolve-by-file',
    FILE,
    '--merchant',
    'shop-fr',
    ...REASON,
    '--yes',
    '--wait',
  ]);
  expect(code).toBe(7);
  expect(err).toContain('tranche jobs approve j-1');
  expect(await terminal.run(['jobs', 'approve', 'j-1', '--yes', '--wait'])).toMatchObject({ code: 0 });
});

it.each([
  ['all were done', { status: 'done', done: 2 }, 0],
  ['some were left', { status: 'done', done: 1, counts: { attempt: 1, 'in-doubt': 1 } }, 6],
  ['one failed', { status: 'done', done: 1, failed: 1 }, 6],
  ['it was interrupted', { status: 'interrupted', done: 1 }, 6],
  ['it was cancelled', { status: 'cancelled' }, 3],
])('waiting for a job tells by its code that %s', async (_, ended, expected) => {
  operations.says({ 'GET /v1/jobs/j-1': job(ended) });
  expect(await terminal.run(['jobs', 'show', 'j-1', '--wait'])).toMatchObject({ code: expected });
});

it('lists jobs, and what became of the items of one', async () => {
  const items = [{ ...item(1, 'attempt'), result: 'failed', resultWhy: 'refused\u001b' }];
  operations.says({ 'GET /v1/jobs': { jobs: [job({})] }, 'GET /v1/jobs/j-1/items': { items } });
  expect((await terminal.run(['jobs', 'list'])).out).toMatch(/^1 +replay +planned +0 of 2 +0 +2 attempt /m);
  expect((await terminal.run(['jobs', 'items', '1', '-o', 'csv'])).out).toContain('1,shop-fr/order-1,attempt,because,failed,refused\\u001b'); // prettier-ignore
});

it('a job is cancelled without the word of production, and started only with it', async () => {
  operations.says({ 'POST /v1/jobs/j-1/start': job({ status: 'running' }), 'POST /v1/jobs/j-1/cancel': job({ status: 'cancelled' }) });
  const production = { TOPICS: 'check' };
  expect(await terminal.run(['jobs', 'start', 'j-1', '--yes'], production)).toMatchObject({ code: 3 });
  expect(sent()).toEqual([]);
  expect(await terminal.run(['jobs', 'cancel', 'j-1', '--yes'], production)).toMatchObject({ code: 0 });
  expect(await terminal.run(['jobs', 'start', 'j-1', '--confirm', 'j-1'], production)).toMatchObject({ code: 0 });
}); // prettier-ignore

it('a file that is not there is named', async () => {
  const { code, err } = await terminal.run(['reconcile', join(folder, 'none.csv'), '--merchant', 'shop-fr', ...REASON]);
  expect(code).toBe(1);
  expect(err).toContain('none.csv');
});

it('a plan that is being made already is named, with where to look', async () => {
  operations.says({ 'POST /v1/jobs': [409, problem(409, 'plan_under_way', { detail: 'It will be job j-1.' })] });
  const { code, err } = await terminal.run(['jobs', 'replay', '3-42', ...REASON]);
  expect(code).toBe(3);
  expect(err).toMatch(/It will be job j-1\.\n {2}next: tranche jobs list$/m);
});
