import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fakeOperations } from '../../test/fake-operations.js';
import { aTerminal } from '../../test/run-tranche.js';

const entry = {
  ...{
    id: '3-42',
    partition: 3,
    offset: '42',
    merchant: 'shop-fr',
    orderId: 'order-1',
    at: '2027-03-01T10:00:00.000Z',
  },
  ...{
    kind: 'resolution.submit',
    body: { action: 'resolution.submit', reason: 'seen \u001b]0;\u202e', operator: 'alice', nested: {} },
  },
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

it.each([
  ['audit', ['audit'], '/v1/audit'],
  ['dead letters', ['dead-letters'], '/v1/dead-letters'],
  ['the quarantine', ['quarantine', 'list'], '/v1/quarantine'],
])('lists %s, without what could steer the terminal', async (_, args, path) => {
  operations.says({ [`GET ${path}`]: { entries: [entry], next: 'more' } });
  const { code, out, err } = await terminal.run([...args, '--merchant', 'shop-fr', '--order', 'order-1', '--limit', '1']);
  expect(code).toBe(0);
  expect(out).toMatch(/^1 .* shop-fr\/order-1 +resolution\.submit +operator alice, reason seen \\u001b\]0;\\u202e +3-42$/m);
  expect(err).toBe('there is more: raise --limit, or filter\n');
  const deeds = path === '/v1/audit' ? '&deeds=true' : '';
  expect(operations.requests.at(-1)?.url).toBe(`${path}?limit=1&merchant=shop-fr&orderId=order-1${deeds}`);
}); // prettier-ignore

it('lists what is closed in the quarantine, with what became of it', async () => {
  const closed = { verdict: 'published', event: 'content-1', closedAt: entry.at };
  operations.says({ 'GET /v1/quarantine': { entries: [{ ...entry, body: { reason: 'hash_mismatch' }, closed }] } });
  const { out } = await terminal.run(['quarantine', 'list', '--closed']);
  expect(out).toContain('reason hash_mismatch, verdict published, event content-1');
  expect(operations.requests.at(-1)?.url).toBe('/v1/quarantine?limit=50&closed=true');
});

it('lists deeds of the audit, and looks with --all', async () => {
  operations.says({});
  await terminal.run(['audit']);
  await terminal.run(['audit', '--all']);
  expect(operations.requests.map(({ url }) => url)).toEqual(['/v1/audit?limit=50&deeds=true', '/v1/audit?limit=50']);
});

it('says below the table what to do with each, and its command on a line of its own', async () => {
  const todo = "Tell its shop. In its place: tranche replay 3-42 --command mended.json --reason 'what was mended' --dry-run";
  operations.says({ 'GET /v1/dead-letters': { entries: [{ ...entry, todo }, { ...entry, todo: 'Leave it' }, { ...entry, todo: 'Leave it' }] } });
  expect((await terminal.run(['dead-letters'])).err.split('\n')).toEqual([
    '1: Tell its shop. In its place:',
    "    tranche replay 3-42 --command mended.json --reason 'what was mended' --dry-run",
    '2, 3: Leave it',
    '',
  ]);
  expect(await terminal.run(['dead-letters', '-o', 'csv'])).toMatchObject({ out: expect.stringContaining('Leave it'), err: '' });
}); // prettier-ignore

describe('events tail', () => {
  let server: Server;
  let connections = 0;
  beforeAll(async () => {
    server = createServer((_, response) => {
      connections++;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const order = (merchant: string) =>
        `event: order\ndata: ${JSON.stringify({ merchant, orderId: `of-${connections}`, status: 'captured', movedAt: entry.at })}\n\n`;
      response.end(`: still here\n\nevent: state\ndata: {"behind":0}\n\n${order('shop-es')}${order('shop-fr')}`);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  });
  afterAll(() => server.close());

  it('prints the orders that change, connects again, and ends with 0 at Ctrl-C', async () => {
    const OPERATIONS_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const run = terminal.run(['events', 'tail', '--merchant', 'shop-fr', '-o', 'jsonl'], { OPERATIONS_URL });
    while (connections < 2) await new Promise((next) => setTimeout(next, 20));
    process.emit('SIGINT');
    const { code, out, err } = await run;
    expect(code).toBe(0);
    expect(out.split('\n')[0]).toBe(
      `{"merchant":"shop-fr","orderId":"of-1","status":"captured","movedAt":"${entry.at}"}`,
    );
    expect(out).not.toContain('shop-es');
    expect(err).toContain('trying again');
  });
});
