import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TOPICS, type PaymentNotification } from '@tranche/contracts';
import { ownPrefix } from '@tranche/testing';
import { Infrastructure, type CommandLines } from '../faults/infrastructure.js';
import { Stage } from '../faults/stage.js';
import { wholeTopic } from '../faults/traces-reader.js';
import { columns } from '../figures.js';
import { Random } from '../simulation/random.js';
import { ATTACKER, flood } from './flood.js';
import { GoodTraffic } from './good-traffic.js';
import { forgeries } from './mutations.js';
import { RawConnection } from './raw-connection.js';
import { areSame, MERCHANTS, notification, TARGET } from './signed-message.js';
import { slowClients } from './slow-clients.js';

export interface ForgeriesOptions {
  json: boolean;
  seed: number;
}

const GOOD_PER_SECOND = 50;
const QUIET_MS = 8_000;
const CONNECTIONS = 16;
const FLOOD_CONNECTIONS = 200;
const FLOOD_MS = 8_000;
const SLOW_CLIENTS = 200;
const PROGRESS_MS = 5_000;

interface Attack {
  tried: number;
  /** Mutants that a lenient reader decodes to the signed parameters. */
  same: number;
  accepted: string[];
  byKind: Record<string, number>;
  byStatus: Record<string, number>;
}

/** Sends forged notifications and slow clients to a built notification-ingest while good traffic continues. Resolves to the exit code. */
export async function runForgeries({ json, seed }: ForgeriesOptions, lines: CommandLines): Promise<number> {
  const infrastructure = new Infrastructure(lines);
  try {
    await infrastructure.start();
    const report = await attack(infrastructure, seed);
    if (!json) print(report);
    console.log(JSON.stringify(report));
    return report.met ? 0 : 1;
  } finally {
    await infrastructure.stop();
  }
}

type Report = Awaited<ReturnType<typeof attack>>;

async function attack(infrastructure: Infrastructure, seed: number) {
  const topicPrefix = ownPrefix();
  const stage = await Stage.open({ infrastructure, topicPrefix, orderPrefix: TARGET, random: new Random(seed) });
  try {
    const merchantsFile = join(infrastructure.folder, 'merchants-of-forgeries.json');
    writeFileSync(merchantsFile, JSON.stringify(MERCHANTS));
    const settings = { ...stage.surroundings.ingest(), PORT: '0', MERCHANTS_FILE: merchantsFile };
    const ingest = await stage.start('notification-ingest', { ...settings, REDIS_KEY_PREFIX: topicPrefix });
    await stage.ready(ingest);
    const port = Number(new URL(ingest.url).port);
    const traffic = new GoodTraffic(port, GOOD_PER_SECOND);
    await delay(2_000); // the JIT compiles the code during the first requests
    await traffic.figures();
    await delay(QUIET_MS);
    const before = await traffic.figures();
    const forged = await sendForgeries(port, seed);
    const duringForgeries = await traffic.figures();
    const large = await flood('large', FLOOD_CONNECTIONS, port, FLOOD_MS);
    const duringLarge = await traffic.figures();
    const pipelined = await flood('pipelined', FLOOD_CONNECTIONS, port, FLOOD_MS);
    const duringPipelined = await traffic.figures();
    const floods = [large, pipelined];
    const slow = await Promise.all([
      slowClients('slow headers', SLOW_CLIENTS, port),
      slowClients('slow body', SLOW_CLIENTS, port),
    ]);
    const duringSlow = await traffic.stop();
    for (const { kind, count } of slow) forged.byKind[kind] = count;
    const foreign = await foreignEvents(stage);
    const crashes =
      stage.crashed.length +
      Object.entries(forged.byStatus).reduce((sum, [status, count]) => sum + (/^5(?!03)/.test(status) ? count : 0), 0);
    const accepted =
      forged.accepted.length + large.accepted + slow.reduce((sum, one) => sum + one.accepted, 0) + foreign;
    const good = [before, duringForgeries, duringLarge, duringPipelined, duringSlow];
    const goodFailed = good.reduce((sum, { failed }) => sum + failed, 0);
    const cut = slow.every((one) => one.cut === one.count);
    const latencies = (part: 'p50Ms' | 'p99Ms') => ({
      before: before[part],
      during: duringForgeries[part],
      duringLarge: duringLarge[part],
      duringPipelined: duringPipelined[part],
      duringSlow: duringSlow[part],
    });
    return {
      tried: forged.tried + large.answered + slow.reduce((sum, { count }) => sum + count, 0),
      accepted,
      crashes,
      byKind: forged.byKind,
      byStatus: forged.byStatus,
      sameParameters: forged.same,
      good: { sent: good.reduce((sum, { sent }) => sum + sent, 0), failed: goodFailed },
      p50Ms: latencies('p50Ms'),
      p99Ms: latencies('p99Ms'),
      floods,
      slow: slow.map(({ kind, count, cut: ended, lastCutSeconds }) => ({ kind, count, cut: ended, lastCutSeconds })),
      acceptedKinds: forged.accepted,
      seed,
      met: accepted === 0 && crashes === 0 && goodFailed === 0 && cut,
    };
  } finally {
    await stage.close();
  }
}

async function sendForgeries(port: number, seed: number): Promise<Attack> {
  const outcome: Attack = { tried: 0, same: 0, accepted: [], byKind: {}, byStatus: {} };
  const all = forgeries(new Random(seed), () => outcome.same++);
  let reportedAtMs = performance.now();
  const sendSome = async () => {
    const connection = new RawConnection(port, ATTACKER);
    for (let next = all.next(); !next.done; next = all.next()) {
      const { kind, request } = next.value;
      const { status, body } = await connection.send(request);
      outcome.tried++;
      outcome.byKind[kind] = (outcome.byKind[kind] ?? 0) + 1;
      const answer = status === 0 ? 'closed' : String(status);
      outcome.byStatus[answer] = (outcome.byStatus[answer] ?? 0) + 1;
      if (status === 200 || body === 'OK')
        outcome.accepted.push(`${kind}: ${request.toString('latin1').slice(0, 600)}`);
      if (performance.now() - reportedAtMs < PROGRESS_MS) continue;
      reportedAtMs = performance.now();
      console.error(`${outcome.tried} forgeries sent, ${outcome.accepted.length} accepted …`);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sendSome));
  return outcome;
}

/** Counts events that are of no good notification, or have other parameters than it. */
async function foreignEvents({ client, options }: Stage): Promise<number> {
  const records = await wholeTopic(client, options.topicPrefix, TOPICS.notifications.name);
  return records.filter(({ value }) => {
    const { orderId, parameters } = JSON.parse(value?.toString('utf8') ?? '') as PaymentNotification;
    return !/^good \d+$/.test(orderId) || !areSame(Object.entries(parameters), notification(orderId));
  }).length;
}

function print({
  tried,
  accepted,
  crashes,
  sameParameters,
  byKind,
  byStatus,
  good,
  p50Ms,
  p99Ms,
  floods,
  slow,
}: Report): void {
  console.log(columns(Object.entries(byKind)));
  console.log(
    `answers: ${Object.entries(byStatus)
      .map(([status, count]) => `${status} × ${count}`)
      .join(', ')}`,
  );
  for (const { kind, count, cut, lastCutSeconds } of slow)
    console.log(`${kind}: ${cut} of ${count} cut, the last after ${lastCutSeconds} s`);
  for (const { kind, connections, answered, cut } of floods)
    console.log(`flood, ${kind}: ${connections} connections from one address, ${answered} answered, ${cut} times cut`);
  console.log(
    `good traffic: ${good.sent} sent, ${good.failed} failed; p50 ${p50Ms.before} → ${p50Ms.during} ms, p99 ${p99Ms.before} → ${p99Ms.during} ms, in the floods p99 ${p99Ms.duringLarge} and ${p99Ms.duringPipelined} ms, with slow clients p99 ${p99Ms.duringSlow} ms`,
  );
  console.log(`${sameParameters} mutations were left out: a lenient reader takes them for the same parameters`);
  console.log(`${tried} tried, ${accepted} accepted, ${crashes} crashes`);
}
