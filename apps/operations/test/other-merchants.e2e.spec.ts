import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { TOPICS } from '@tranche/contracts';
import { aPartnerBAuthorization, operatorKey, waitFor } from '@tranche/testing';
import { joinOperationsStage } from './operations-stack.js';

interface Operation {
  parameters?: { name: string; in: string }[];
}
type Paths = Record<string, Partial<Record<'get' | 'post', Operation>>>;
const pathsOf = (service: string): Paths =>
  (JSON.parse(readFileSync(join(__dirname, `../../${service}/openapi.json`), 'utf8')) as { paths: Paths }).paths;
const paths = pathsOf('operations');
/** Passed on; a release of the gateway before it had controls answers 404. */
const isThere = (path: string) => path !== '/v1/controls' || path in pathsOf('payment-gateway');
/** Every route of this service that only looks; what is passed on the gateway judges by the same person. */
const routes = Object.entries(paths).filter(
  ([path, of]) => path.startsWith('/v1/') && of.get !== undefined && isThere(path),
);

/** `viewer` has the merchant shop-fr alone. */
const OTHER = 'shop-supersedes';
const SECRET = 'of-others-7f3a';
const orderId = `order-${SECRET}`;

/** Jobs about the other merchant. */
let job: string;
let stack: Awaited<ReturnType<typeof joinOperationsStage>>;
beforeAll(async () => {
  stack = await joinOperationsStage();
  await stack.fault({ match: { orderPrefix: orderId }, fault: { executeThenReset: true } });
  await stack.send('payment.authorize', aPartnerBAuthorization({ merchant: OTHER, orderId }));
  // A dead letter and an audit record of the same order, as the gateway would write them.
  const key = `${OTHER}/${orderId}`;
  const headers = { 'dead-letter-code': 'invalid_command', 'dead-letter-message': SECRET, ce_id: SECRET };
  const topic = (one: { name: string }) => stack.prefix + one.name;
  await stack.producer.send({ topic: topic(TOPICS.commandsDeadLetter), key, value: Buffer.from('{}'), headers });
  const quarantined = { reason: 'hash_mismatch', merchant: OTHER, receivedAt: new Date().toISOString(), why: SECRET };
  const value = Buffer.from(JSON.stringify(quarantined));
  await stack.producer.send({ topic: topic(TOPICS.notificationsQuarantine), key: SECRET, value, headers: {} });
  await stack.listed(OTHER, orderId, 'doubt');
  const all = ['audit', 'dead-letters', 'quarantine'];
  await waitFor(
    async () => {
      await stack.ask('alice', `operations/${'x'.repeat(8)}/resolve`, { outcome: 'succeeded', reason: 'no such one' });
      const pages = await Promise.all(
        all.map((path) => stack.ask<{ entries: object[] }>('alice', `${path}?merchant=${OTHER}`)),
      );
      return pages.slice(1).every(({ body }) => body.entries.length > 0);
    },
    { what: 'all of it in PostgreSQL' },
  );
  const reason = `About another merchant, ${SECRET}`;
  const made = await stack.ask<{ id: string }>('alice', 'jobs', {
    kind: 'reconcile',
    merchant: OTHER,
    reason,
    csv: CSV,
  });
  expect(made.status).toBe(201);
  job = made.body.id;
});
afterAll(() => stack.stop());

const FILTERS: Record<string, string> = {
  ...{
    kind: 'doubt',
    q: orderId,
    status: 'in_doubt',
    verdict: 'only-there',
    result: 'done',
    format: 'csv',
    amount: '25000',
    minAmount: '1',
    sort: 'age',
  },
  ...{ from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z', limit: '500', at: '2100-01-01T00:00:00Z', orderId },
};

const CSV = `ORDERID;TRANSACTIONID;OPERATIONTYPE;AMOUNT;EXECCODE;DATE\n${orderId};T-1;authorization;1;0000;2026-03-01T10:00:00Z\n`;

const headers = () => ({ authorization: `Bearer ${operatorKey('viewer')}` });

/** The text of an answer without the address that was asked for. */
async function text(path: string): Promise<{ status: number; text: string }> {
  if (path.startsWith('/v1/stream')) return { status: 200, text: await streamed(path) };
  const response = await fetch(`${stack.operations.url}${path}`, { headers: headers() });
  const { instance: _instance, ...body } = (await response.json()) as { instance?: string };
  return { status: response.status, text: JSON.stringify(body) };
}

/** Reads a stream three times. `fetch` of the tests would wait for its end. */
async function streamed(path: string): Promise<string> {
  const request = get(`${stack.operations.url}${path}`, { headers: headers() });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  let read = '';
  for await (const chunk of response) {
    read += String(chunk);
    if (read.split('event: state').length > 3) break;
  }
  request.destroy();
  return read;
}

const statusOf = (path: string): number => (path.includes('{merchant}') ? 403 : path.includes('{id}') ? 404 : 200);

it.each(routes)('GET %s shows an operator of one merchant nothing of another', async (path, { get: operation }) => {
  const filled = path
    .replace('{merchant}', OTHER)
    .replace('{orderId}', encodeURIComponent(orderId))
    .replace('{id}', job);
  const names = (operation?.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name);
  const queries = names
    .filter((name) => name in FILTERS)
    .map((name) => `?${name}=${encodeURIComponent(FILTERS[name]!)}`);
  for (const query of ['', ...queries]) {
    const answer = await text(filled + query);
    expect([query, answer.status]).toEqual([query, statusOf(path)]);
    expect(answer.text).not.toContain(OTHER);
    expect(answer.text).not.toContain(SECRET);
  }
  if (!names.includes('merchant')) return;
  const answer = await text(`${filled}?merchant=${OTHER}`);
  expect(answer.status).toBe(403);
  expect(answer.text).not.toContain(SECRET);
});

/** Routes that change something, but for what is passed on. */
const changes = Object.keys(paths).filter((path) => path.startsWith('/v1/jobs'));
it.each(changes)('POST %s does nothing about the merchants of others', async (path) => {
  if (paths[path]!.post === undefined) return;
  const body = { kind: 'reconcile', merchant: OTHER, reason: 'A comparison of others', csv: CSV };
  const answers = await Promise.all([
    stack.ask('viewer', path.replace('/v1/', '').replace('{id}', job), body),
    stack.ask('limited', path.replace('/v1/', '').replace('{id}', job), body),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([403, path.includes('{id}') ? 404 : 403]);
  expect(JSON.stringify(answers)).not.toContain(SECRET);
});
