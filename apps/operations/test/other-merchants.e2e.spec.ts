import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { COMMAND_TOPICS, TOPICS } from '@tranche/contracts';
import { aCommand, aPartnerBAuthorization, operatorKey, waitFor } from '@tranche/testing';
import { joinOperationsStage, type Answer, type Person } from './operations-stack.js';

type Method = 'get' | 'post' | 'put' | 'delete';
interface Operation {
  parameters?: { name: string; in: string; schema: { enum?: string[] } }[];
}
/** Every route of the document: what this service answers, and what it passes on to the gateway. */
const { paths } = JSON.parse(readFileSync(join(__dirname, '../openapi.json'), 'utf8')) as {
  paths: Record<string, Partial<Record<Method, Operation>>>;
};
const routes = Object.entries(paths)
  .filter(([path]) => path.startsWith('/v1/'))
  .flatMap(([path, of]) => Object.entries(of).map(([method, one]) => ({ path, method: method as Method, one })));
const reads = routes.filter(({ method }) => method === 'get');
const changes = routes.filter(({ method }) => method !== 'get');

/** `viewer` and `limited`, who may decide, have the merchant shop-fr alone. */
const OTHER = 'shop-of-others';
const SECRET = 'of-others-7f3a';
const orderId = `order-${SECRET}`;
const REASON = `About another merchant, ${SECRET}`;
const CSV = `ORDERID;TRANSACTIONID;OPERATIONTYPE;AMOUNT;EXECCODE;DATE\n${orderId};T-1;authorization;1;0000;2026-03-01T10:00:00Z\n`;
const STOP = `/v1/controls/merchant:${OTHER}`;

/** Ids of what is the other merchant's. */
const own = { job: '', operation: '', proposal: '', letter: '' };
let stack: Awaited<ReturnType<typeof joinOperationsStage>>;

beforeAll(async () => {
  stack = await joinOperationsStage();
  await stack.fault({ match: { orderPrefix: orderId }, fault: { executeThenReset: true } });
  await stack.send('payment.authorize', aPartnerBAuthorization({ merchant: OTHER, orderId }));
  // A dead letter and an entry of the quarantine, as the gateway and notification-ingest would write them.
  const key = `${OTHER}/${orderId}`;
  const topic = (one: { name: string }) => stack.prefix + one.name;
  const headers = {
    ...{ 'dead-letter-code': 'invalid_command', 'dead-letter-message': SECRET, ce_id: SECRET },
    ...{ 'dead-letter-topic': topic(COMMAND_TOPICS['partner-b']), 'dead-letter-withheld': 'value' },
  };
  await stack.producer.send({ topic: topic(TOPICS.commandsDeadLetter), key, value: Buffer.from('{}'), headers });
  const quarantined = { reason: 'hash_mismatch', merchant: OTHER, receivedAt: new Date().toISOString(), why: SECRET };
  const value = Buffer.from(JSON.stringify(quarantined));
  await stack.producer.send({ topic: topic(TOPICS.notificationsQuarantine), key: SECRET, value, headers: {} });

  own.operation = (await stack.listed(OTHER, orderId, 'doubt')).id;
  own.proposal = (await made(`/v1/operations/${own.operation}/resolve`, { outcome: 'succeeded', reason: REASON })).id;
  await made(STOP, { reason: REASON }, 'put');
  const inLists = async () => {
    const lists = ['audit', 'dead-letters', 'quarantine'].map((path) =>
      stack.ask<{ entries: { id: string }[] }>('alice', `${path}?merchant=${OTHER}`),
    );
    const [audit, letters, quarantine] = (await Promise.all(lists)).map(({ body }) => body.entries);
    own.letter = letters![0]?.id ?? '';
    return audit!.length > 0 && own.letter !== '' && quarantine!.length > 0;
  };
  await waitFor(inLists, { what: 'all of it in PostgreSQL' });
  own.job = (await made('/v1/jobs', { kind: 'reconcile', merchant: OTHER, reason: REASON, csv: CSV })).id;
});
afterAll(async () => {
  await said('alice', 'delete', STOP, { reason: REASON });
  await stack.stop();
});

async function said<T = object>(person: Person, method: Method, path: string, body?: object): Promise<Answer<T>> {
  const response = await fetch(`${stack.operations.url}${path}`, {
    method: method.toUpperCase(),
    headers: {
      authorization: `Bearer ${operatorKey(person)}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as T };
}

async function made(path: string, body: object, method: Method = 'post'): Promise<{ id: string }> {
  const answer = await said<{ id: string }>('alice', method, path, body);
  if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  return answer.body;
}

const ID_OF: Record<string, () => string> = {
  ...{ jobs: () => own.job, operations: () => own.operation, conflicts: () => own.operation },
  proposals: () => own.proposal,
};
const filled = (path: string): string =>
  path
    .replace('{merchant}', OTHER)
    .replace('{orderId}', encodeURIComponent(orderId))
    .replace('{scope}', `merchant:${OTHER}`)
    .replace('{id}', () => ID_OF[path.split('/')[2]!]!());

/** The text of an answer without the address that was asked for. */
function textOf({ body }: Answer<{ instance?: string }>): string {
  const { instance: _instance, ...shown } = body;
  return JSON.stringify(shown);
}

const FILTERS: Record<string, string> = {
  ...{ kind: 'doubt', q: orderId, status: 'in_doubt', verdict: 'only-there', result: 'done', format: 'csv' },
  ...{ amount: '25000', minAmount: '1', sort: 'age', closed: 'true', deeds: 'true', limit: '500', orderId },
  ...{ currency: 'EUR', person: 'alice' },
  ...{ from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z', at: '2100-01-01T00:00:00Z' },
};
/** A page behind another one has no other rows than the first. */
const NO_FILTERS = ['merchant', 'cursor'];
const statusOf = (path: string): number => (path.includes('{merchant}') ? 403 : path.includes('{id}') ? 404 : 200);

it.each(reads.filter(({ path }) => path !== '/v1/stream'))(
  'GET $path shows an operator of one merchant nothing of another',
  async ({ path, one }) => {
    const parameters = (one.parameters ?? []).filter(({ in: where }) => where === 'query');
    const names = parameters.map(({ name }) => name);
    expect(names.filter((name) => !(name in FILTERS) && !NO_FILTERS.includes(name))).toEqual([]);
    const queries = parameters
      .filter(({ name }) => name in FILTERS)
      .map(({ name, schema: { enum: values } }) => {
        const value = values === undefined || values.includes(FILTERS[name]!) ? FILTERS[name]! : values[0]!;
        return `?${name}=${encodeURIComponent(value)}`;
      });
    for (const query of ['', ...queries]) {
      const answer = await said('viewer', 'get', filled(path) + query);
      expect([query, answer.status]).toEqual([query, statusOf(path)]);
      expect(textOf(answer)).not.toContain(OTHER);
      expect(textOf(answer)).not.toContain(SECRET);
    }
    if (!names.includes('merchant')) return;
    const answer = await said('viewer', 'get', `${filled(path)}?merchant=${OTHER}`);
    expect(answer.status).toBe(403);
    expect(textOf(answer)).not.toContain(SECRET);
  },
);

/** Reads a stream until it has what is awaited. `fetch` of the tests would wait for its end. */
async function streamed(person: Person, isEnough: (read: string) => boolean): Promise<string> {
  const headers = { authorization: `Bearer ${operatorKey(person)}` };
  const request = get(`${stack.operations.url}/v1/stream`, { headers });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  let read = '';
  for await (const chunk of response) if (isEnough((read += String(chunk)))) break;
  request.destroy();
  return read;
}

it('GET /v1/stream tells an operator of one merchant nothing of what happens to another', async () => {
  let isTold = false;
  const ofViewer = streamed('viewer', (read) => isTold && read.endsWith('\n\n'));
  const ofAlice = streamed('alice', (read) => read.includes(OTHER));
  // It is refused, for a proposal is open, and the audit has it: a decision about the merchant.
  const again = { outcome: 'succeeded', reason: REASON };
  await waitFor(
    async () => {
      await said('alice', 'post', `/v1/operations/${own.operation}/resolve`, again);
      return Promise.race([ofAlice.then(() => true), new Promise<false>((next) => setImmediate(() => next(false)))]);
    },
    { what: 'the stream of somebody who has all merchants', pollMs: 500 },
  );
  isTold = true;
  expect(await ofViewer).not.toContain(OTHER);
});

const mended = (merchant: string) => ({
  ...{ specversion: '1.0', ...aCommand('payment.authorize', aPartnerBAuthorization({ merchant, orderId })) },
});
/** A replay of the other merchant's dead letter; a mended command must not make it one's own. */
const replayOf = (more: object = {}) => {
  const [partition, offset] = own.letter.split('-');
  const topic = TOPICS.commandsDeadLetter.name;
  return { topic, partition: Number(partition), offset, reason: REASON, ...more };
};
const job = { reason: REASON, merchant: OTHER };
/** Bodies of each route, with what an operator who may decide is answered. */
const BODIES: Record<string, () => [object, number][]> = {
  'post /v1/jobs': () => [
    [{ ...job, kind: 'reconcile', csv: CSV }, 403],
    [{ ...job, kind: 'resolve-by-file', csv: CSV }, 403],
    [{ ...job, kind: 'replay' }, 403],
    [{ kind: 'replay', reason: REASON, ids: [own.letter] }, 400],
  ],
  'post /v1/jobs/{id}/start': () => [[{}, 404]],
  'post /v1/jobs/{id}/approve': () => [[{}, 404]],
  'post /v1/jobs/{id}/cancel': () => [[{}, 404]],
  'post /v1/operations/{id}/resolve': () => [[{ outcome: 'succeeded', reason: REASON }, 403]],
  'post /v1/conflicts/{id}/settle': () => [[{ outcome: 'kept', result: 'succeeded', reason: REASON }, 403]],
  'post /v1/proposals/{id}/approve': () => [[{}, 403]],
  'post /v1/proposals/{id}/reject': () => [[{}, 403]],
  'post /v1/replays': () => [
    [replayOf(), 403],
    [replayOf({ command: mended(OTHER) }), 403],
    [replayOf({ command: mended('shop-fr') }), 403],
  ],
  'put /v1/controls/{scope}': () => [[{ reason: REASON }, 403]],
  'delete /v1/controls/{scope}': () => [[{ reason: REASON }, 403]],
};

/** Reads what a person of all merchants sees of the other one. */
async function seen(): Promise<object[]> {
  const of = ['attention', 'dead-letters', 'quarantine', 'jobs'].map((path) => `/v1/${path}?merchant=${OTHER}`);
  const all = [...of, '/v1/proposals', '/v1/controls', `/v1/orders/${OTHER}/${orderId}`];
  const answers = await Promise.all(all.map((path) => said('alice', 'get', path)));
  return answers.map(({ body }) => {
    const { behind: _behind, next: _next, counts: _counts, ...shown } = body as Record<string, unknown>;
    const ofOther = (value: unknown) =>
      Array.isArray(value) ? value.filter((entry) => JSON.stringify(entry).includes(OTHER)) : value;
    return Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, ofOther(value)]));
  });
}

let before: object[] | undefined;
it.each(changes)('$method $path does nothing about the merchants of others', async ({ path, method, one }) => {
  before ??= await seen();
  const isDry = one.parameters?.some(({ name }) => name === 'dryRun') === true;
  for (const [body, status] of BODIES[`${method} ${path}`]!())
    for (const query of ['', ...(isDry ? ['?dryRun=true'] : [])])
      for (const [person, expected] of [['viewer', 403], ['limited', status]] as const) {
        const answer = await said(person, method, filled(path) + query, body);
        expect([person, body, query, answer.status]).toEqual([person, body, query, expected]);
        expect(textOf(answer)).not.toContain(SECRET);
        expect(textOf(answer)).not.toContain(OTHER);
      } // prettier-ignore
});

it('a rail, which is of every merchant, is stopped by nobody who has only some', async () => {
  const answer = await said('limited', 'put', '/v1/controls/rail:partner-b', { reason: REASON });
  expect(answer.status).toBe(403);
});

it('nothing of it has changed anything', async () => {
  expect(before).toHaveLength(7);
  expect(await seen()).toEqual(before);
});
