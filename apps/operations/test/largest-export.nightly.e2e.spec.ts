import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { operationsSettings, repositoryRoot, startApp, type RunningApp } from '@tranche/testing';
import { MOST_CSV } from '../src/api/queries.js';
import { askAt, joinOperationsStage } from './operations-stack.js';
import { ownPostgres } from './postgres.js';

const merchant = 'shop-fr';
const ROWS = 150_000;
const COLUMNS = 'ORDERID;TRANSACTIONID;OPERATIONTYPE;AMOUNT;EXECCODE;DATE';

interface Values {
  services: { operations: { extraEnv: { name: string; value: string }[]; resources: { limits: { memory: string } } } };
}
const chart = parse(readFileSync(join(repositoryRoot(), 'deploy/helm/tranche/values.yaml'), 'utf8')) as Values;
const { extraEnv, resources } = chart.services.operations;
const variables = Object.fromEntries(extraEnv.map(({ name, value }) => [name, value]));

let app: RunningApp;
let server: Awaited<ReturnType<typeof ownPostgres>>;
let stack: Awaited<ReturnType<typeof joinOperationsStage>>;

beforeAll(async () => {
  server = await ownPostgres();
  stack = await joinOperationsStage();
  const own = operationsSettings(stack.gateway, 'largest');
  app = await startApp('operations', { ...own, DATABASE_URL: server.url, ...variables });
}, 120_000);
afterAll(async () => {
  await app.stop('SIGKILL');
  await stack.stop();
  await server.close();
});

it("the largest export is compared within the memory that the chart gives, with the chart's options of Node.js", async () => {
  const at = new Date().toISOString();
  const row = (n: number) => `largest-${n};T-largest-${n};authorization;30000;0000;${at}`;
  // V8 keeps two bytes for each character of a text that has one beyond Latin-1, as the byte order mark is: so this file needs the most memory.
  const heading = `\uFEFF${COLUMNS};NOTE\n`;
  const note = 'x'.repeat(Math.floor((MOST_CSV - heading.length) / ROWS) - row(ROWS).length - 3);
  const csv = heading + Array.from({ length: ROWS }, (_, n) => `${row(n)};€${note}\n`).join('');
  const reason = 'the largest export, ticket 816';
  const made = await askAt(app, 'alice', 'jobs', { kind: 'reconcile', merchant, reason, csv });
  expect(made).toMatchObject({ status: 201, body: { status: 'done', counts: { 'only-there': ROWS } } });
  const peakMiB = Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${app.pid}/status`, 'utf8'))?.[1]) / 1024;
  expect(peakMiB).toBeLessThan(Number.parseInt(resources.limits.memory, 10));
}, 600_000);
