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
import { row, type Row } from './report.js';
import { Stage, startGateway } from './stage.js';

const REBUILD_MS = 3_600_000;
const SAY_EVERY_MS = 10_000;
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
  about:
    'orders/s into PostgreSQL, search p95, first content of the page, memory and a comparison of 100,000 rows (--commands: orders; DATABASE_URL)',
  parts: [{ name: 'operations', run: measured }],
};

async function measured(context: Context): Promise<Row[]> {
  const orders = context.commands ?? 100_000;
  const { DATABASE_URL } = process.env;
  if (!DATABASE_URL) throw new Error('DATABASE_URL must be set, or use: npm run bench -- operations');
  const stage = await Stage.open(context);
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
  const ask = (path: string, body?: object) => askAt(app.url, path, body);
  try {
    let saidMs = begunMs;
    const hasRead = async (wanted: number) => {
      if (app.killed) throw new Error(`operations has ended\n${app.logs.slice(-20).join('\n')}`);
      const { partitions } = (await ask('partitions')) as { partitions: { topic: string; next: string }[] };
      const ofJournal = partitions.filter(({ topic }) => topic === TOPICS.journal.name);
      const read = ofJournal.reduce((sum, { next }) => sum + Number(next), 0);
      const nowMs = performance.now();
      if (nowMs - saidMs > SAY_EVERY_MS) {
        saidMs = nowMs;
        context.log(
          `${read} of ${records} records are in PostgreSQL, ${Math.round(read / ((nowMs - begunMs) / 1_000))}/s`,
        );
      }
      return read >= wanted;
    };
    const until = (wanted: number) =>
      waitFor(() => hasRead(wanted), { timeoutMs: REBUILD_MS, pollMs: 500, what: `${wanted} records in PostgreSQL` });
    await until(records / 2);
    let peakMiB = peakOf(app.pid);
    await app.stop('SIGKILL');
    app = await start();
    await until(records);
    const seconds = (performance.now() - begunMs) / 1_000;
    const rows = [
      row({ name: 'operations-rebuild', unit: 'orders/s', ours: orders / seconds, details: { seconds, records } }),
    ];
    // Each row is printed at once, because the rest takes minutes and may fail.
    const take = (one: Row) => {
      rows.push(one);
      context.log(`${one.name}: ${one.ours.toFixed(1)} ${one.unit}`);
    };
    const searches: Record<string, (n: number) => string> = {
      order: (n) => `orders/${MERCHANT.merchant}/order-${n}`,
      prefix: (n) => `orders?q=order-${String(n).slice(0, 3)}`,
      transaction: (n) => `orders?q=T-order-${n}`,
      command: (n) => `orders?q=${commands.get(n)}`,
      status: () => 'orders?status=authorized',
      attention: () => 'attention',
    };
    for (const [name, path] of Object.entries(searches)) {
      const took: number[] = [];
      for (const n of asked) {
        const fromMs = performance.now();
        await ask(path(n));
        took.push(performance.now() - fromMs);
      }
      const details = { p50: median(took), worst: Math.max(...took) };
      const found = { name: `operations-search-${name}-p95`, unit: 'ms', ours: percentile(took, 0.95), details };
      take(row({ ...found, target: { atMost: 50 } }));
    }
    take(await firstContent(app.url));
    take(await comparedWithGateway(context, stage, asked, app.url));
    const compared = Math.min(ROWS, orders);
    const at = new Date().toISOString();
    const lines = Array.from({ length: compared }, (_, n) => `order-${n};T-order-${n};authorization;30000;0000;${at}`);
    const csv = `ORDERID;TRANSACTIONID;OPERATIONTYPE;AMOUNT;EXECCODE;DATE\n${lines.join('\n')}\n`;
    const fromMs = performance.now();
    const { merchant } = MERCHANT;
    const job = await ask('jobs', { kind: 'reconcile', merchant, reason: 'measured by the bench', csv });
    const took = (performance.now() - fromMs) / 1_000;
    const counts = job.counts as Record<string, number>;
    take(row({ name: 'operations-reconcile', unit: 's', ours: took, details: { rows: compared, ...counts } }));
    peakMiB = Math.max(peakMiB, peakOf(app.pid));
    take(row({ name: 'operations-memory', unit: 'MiB at most', ours: peakMiB, target: { atMost: 300 } }));
    return rows;
  } finally {
    await app.stop();
    await stage.remove();
  }
}

const askAt = (url: string, path: string, body?: object) =>
  askJson<Record<string, unknown>>(`${url}/v1/${path}`, {
    headers: { authorization: `Bearer ${KEY}` },
    timeoutMs: REBUILD_MS,
    ...(body && { body }),
  });

const peakOf = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;

/** Loads of the queue by a person who is signed in, each with an empty cache. */
async function firstContent(url: string): Promise<Row> {
  const browser = await launchBrowser();
  try {
    const session = { 'tranche.session': JSON.stringify({ token: KEY }) };
    const took = await coldLoads(browser, { url, session, selector: '.verdict h1', loads: LOADS });
    const details = { slowest: Math.max(...took), loads: LOADS };
    return row({
      ...{ name: 'operations-first-content-p50', unit: 'ms', ours: median(took), details },
      target: { atMost: 1_000 },
    });
  } finally {
    await browser.close();
  }
}

/** The gateway folds the same journal into its index; both must show the same order. */
async function comparedWithGateway(
  context: Context,
  stage: Stage,
  asked: readonly number[],
  operationsUrl: string,
): Promise<Row> {
  const ofGateway = { stage, platform: { url: 'http://127.0.0.1:9' }, inFlight: 256, env: { OPERATORS_FILE } };
  const gateway = await startGateway({ ...context, ...ofGateway, readyWithinMs: REBUILD_MS });
  try {
    let different = 0;
    for (const n of asked) {
      const path = `orders/${MERCHANT.merchant}/order-${n}`;
      const theirs = await waitFor(() => askAt(gateway.managementUrl, path).catch(() => undefined), {
        timeoutMs: REBUILD_MS,
        what: `${path} in the index`,
      });
      const ours = await askAt(operationsUrl, path);
      const same = [ours, theirs].map(({ status, amounts }) => JSON.stringify({ status, amounts }));
      if (same[0] !== same[1]) different++;
    }
    const found = { name: 'operations-other-than-gateway', unit: 'orders', ours: different };
    return row({ ...found, target: { atMost: 0 }, details: { sampled: asked.length } });
  } finally {
    await gateway.stop();
  }
}
