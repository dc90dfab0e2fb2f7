import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOPICS, topicName } from '@tranche/contracts';
import { ensureTopics, topicOffsets } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { coldLoads, launchBrowser, repositoryRoot, startApp, waitFor } from '@tranche/testing';
import { ask as askJson } from '../ask.js';
import { median, percentile } from '../figures.js';
import type { Bench, Context } from './bench.js';
import { MERCHANT } from './commands.js';
import { intent, outcome, writeOrders } from './journal-records.js';
import { row, type Measured, type Row } from './report.js';
import { Stage, startGateway } from './stage.js';

const REBUILD_MS = 3_600_000;
const SEARCHES = 200;
const ROWS = 100_000;
const LOADS = 10;
/** The chart sets the same options. */
const NODE_OPTIONS = '--max-old-space-size=256';
const OPERATORS_FILE = join(repositoryRoot(), 'config/operators.demo.json');
/** An operator of all merchants. */
const KEY = 'demo-key-of-olga-not-a-real-one-at-all';

/**
 * Measures operations over many orders: how fast PostgreSQL is built from Kafka by a process that is killed in the middle, searches, if the
 * gateway shows the same orders, memory, and a comparison with an export.
 */
export const operations: Bench = {
  name: 'operations',
  parts: [{ name: 'operations', run: measured }],
};

async function measured(context: Context): Promise<Row[]> {
  const orders = context.commands ?? 100_000;
  const { DATABASE_URL } = process.env;
  if (!DATABASE_URL) throw new Error('DATABASE_URL must be set, or use: npm run bench -- operations');
  await using stage = await Stage.open(context);
  // It reads what other services write, too.
  const topics = { prefix: stage.prefix, definitions: Object.values(TOPICS) };
  await ensureTopics(stage.client, { ...topics, replicationFactor: 1, minInSyncReplicas: 1, log: silentLog });
  const commands = new Map<number, string>();
  const asked = Array.from({ length: SEARCHES }, (_, index) => Math.floor((index * orders) / SEARCHES));
  const sampled = new Set(asked);
  await writeOrders(stage, orders, (n) => {
    const authorization = intent(n);
    if (sampled.has(n)) commands.set(n, authorization.commandId);
    return [authorization, outcome(authorization)];
  });
  const offsets = await topicOffsets(stage.client, topicName(stage.prefix, TOPICS.journal));
  const records = [...offsets.values()].reduce((sum, { high }) => sum + Number(high), 0);
  context.log(`${orders} orders, ${records} records are in Kafka`);
  const begunMs = performance.now();
  // It is ready only once PostgreSQL is built.
  const env = {
    ...{ KAFKA_BROKERS: context.brokers, KAFKA_TOPIC_PREFIX: stage.prefix, DATABASE_URL },
    ...{ DATABASE_SCHEMA: stage.prefix.replaceAll(/\W/g, '_'), OPERATORS_FILE },
    ...{ GATEWAY_URL: 'http://127.0.0.1:9', NODE_OPTIONS: process.env.BENCH_NODE_OPTIONS ?? NODE_OPTIONS },
  };
  const start = () => startApp('operations', env, { readyPath: '/health/live' });
  let app = await start();
  await using ended = { [Symbol.asyncDispose]: async () => void (await app.stop()) };
  const ask = (path: string, body?: object) => askAt(app.url, path, body);
  const hasRead = async (wanted: number) => {
    if (app.killed) throw new Error(`operations has ended\n${app.logs.slice(-20).join('\n')}`);
    const { partitions } = (await ask('partitions')) as { partitions: { topic: string; next: string }[] };
    const ofJournal = partitions.filter(({ topic }) => topic === TOPICS.journal.name);
    return ofJournal.reduce((sum, { next }) => sum + Number(next), 0) >= wanted;
  };
  const until = (wanted: number) =>
    waitFor(() => hasRead(wanted), { timeoutMs: REBUILD_MS, pollMs: 500, what: `${wanted} records in PostgreSQL` });
  await until(records / 2);
  context.log(`half of them are in PostgreSQL after ${secondsSince(begunMs).toFixed(0)} s; operations is killed`);
  let peakMiB = peakOf(app.pid);
  await app.stop('SIGKILL');
  app = await start();
  await until(records);
  const rows: Row[] = [];
  // Each row is printed at once, because the rest takes minutes and may fail.
  const take = (measured: Measured) => {
    rows.push(row(measured));
    context.log(`${measured.name}: ${measured.ours.toFixed(1)} ${measured.unit}`);
  };
  take({ name: 'operations-rebuild', unit: 'orders/s', ours: orders / secondsSince(begunMs) });
  const searches: Record<string, (n: number) => string> = {
    order: (n) => `orders/${MERCHANT.merchant}/order-${n}`,
    prefix: (n) => `orders?q=order-${String(n).slice(0, 3)}`,
    transaction: (n) => `orders?q=T-order-${n}`,
    command: (n) => `orders?q=${commands.get(n)}`,
    status: () => 'orders?status=authorized',
    attention: () => 'attention',
  };
  for (const [name, path] of Object.entries(searches)) {
    const tookMs: number[] = [];
    for (const n of asked) {
      const fromMs = performance.now();
      await ask(path(n));
      tookMs.push(performance.now() - fromMs);
    }
    const details = { p50: median(tookMs), worst: Math.max(...tookMs) };
    const [ours, target] = [percentile(tookMs, 0.95), { atMost: 50 }];
    take({ name: `operations-search-${name}-p95`, unit: 'ms', ours, target, details });
  }
  const firstMs = await firstContentMs(app.url);
  const details = { slowest: Math.max(...firstMs) };
  const found = { name: 'operations-first-content-p50', unit: 'ms', ours: median(firstMs), details };
  take({ ...found, target: { atMost: 1_000 } });
  const different = await differentInGateway(context, stage, asked, app.url);
  take({ name: 'operations-other-than-gateway', unit: 'orders', ours: different, target: { atMost: 0 } });
  const compared = Math.min(ROWS, orders);
  const at = new Date().toISOString();
  const lines = Array.from({ length: compared }, (_, n) => `order-${n};T-order-${n};authorization;30000;0000;${at}`);
  const csv = `ORDERID;TRANSACTIONID;OPERATIONTYPE;AMOUNT;EXECCODE;DATE\n${lines.join('\n')}\n`;
  const fromMs = performance.now();
  const { merchant } = MERCHANT;
  const job = await ask('jobs', { kind: 'reconcile', merchant, reason: 'measured by the bench', csv });
  const counts = job.counts as Record<string, number>;
  take({ name: 'operations-reconcile', unit: 's', ours: secondsSince(fromMs), details: { rows: compared, ...counts } });
  peakMiB = Math.max(peakMiB, peakOf(app.pid));
  take({ name: 'operations-memory', unit: 'MiB at most', ours: peakMiB, target: { atMost: 300 } });
  return rows;
}

const secondsSince = (ms: number) => (performance.now() - ms) / 1_000;

const askAt = (url: string, path: string, body?: object) =>
  askJson<Record<string, unknown>>(`${url}/v1/${path}`, {
    headers: { authorization: `Bearer ${KEY}` },
    timeoutMs: REBUILD_MS,
    ...(body && { body }),
  });

const peakOf = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;

/** Loads of the queue by a person who is signed in, each with an empty cache. */
async function firstContentMs(url: string): Promise<number[]> {
  const browser = await launchBrowser();
  try {
    const session = { 'tranche.session': JSON.stringify({ token: KEY }) };
    return await coldLoads(browser, { url, session, selector: '.verdict h1', loads: LOADS });
  } finally {
    await browser.close();
  }
}

/** The gateway folds the same journal into its index: returns how many orders it shows otherwise. */
async function differentInGateway(context: Context, stage: Stage, asked: readonly number[], url: string) {
  const ofGateway = { stage, platform: { url: 'http://127.0.0.1:9' }, inFlight: 256, env: { OPERATORS_FILE } };
  await using gateway = await startGateway({ ...context, ...ofGateway, readyTimeoutMs: REBUILD_MS });
  let different = 0;
  for (const n of asked) {
    const path = `orders/${MERCHANT.merchant}/order-${n}`;
    const theirs = await waitFor(() => askAt(gateway.managementUrl, path).catch(() => undefined), {
      timeoutMs: REBUILD_MS,
      what: `${path} in the index`,
    });
    const ours = await askAt(url, path);
    const same = [ours, theirs].map(({ status, amounts }) => JSON.stringify({ status, amounts }));
    if (same[0] !== same[1]) different++;
  }
  return different;
}
