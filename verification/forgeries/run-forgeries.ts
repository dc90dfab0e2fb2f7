import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TOPICS, type PaymentNotification } from '@tranche/contracts';
import { ownPrefix, repositoryRoot } from '@tranche/testing';
import { Infrastructure, type CommandLines } from '../faults/infrastructure.js';
import { Stage } from '../faults/stage.js';
import { wholeTopic } from '../faults/traces-reader.js';
import { columns } from '../figures.js';
import { Random } from '../simulation/random.js';
import { flood, send, slowClients } from './attacks.js';
import type { GoodTraffic } from './good-traffic.js';
import { areSame, MERCHANTS, notification, TARGET } from './messages.js';
import { forgeries } from './mutations.js';

const GOOD_PER_SECOND = 50;
const QUIET_MS = 8_000;
const CONNECTIONS = 16;
const FLOOD_CONNECTIONS = 200;
const FLOOD_MS = 8_000;
const SLOW_CLIENTS = 200;
const PROGRESS = 5_000;

/** Sends forged notifications and slow clients to a built notification-ingest while good traffic continues. Resolves to the exit code. */
export async function runForgeries(
  { json, seed }: { json: boolean; seed: number },
  lines: CommandLines,
): Promise<number> {
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
    const good: Record<string, GoodTraffic> = {};
    const file = join(repositoryRoot(), 'verification/dist/forgeries/good-traffic.js');
    const traffic = fork(file, [ingest.url, String(GOOD_PER_SECOND)]);
    const ended = new AbortController();
    traffic.once('exit', () => ended.abort());
    const during = async <T>(phase: string, work: () => Promise<T>): Promise<T> => {
      const result = await work();
      traffic.send('figures');
      good[phase] = ((await once(traffic, 'message', { signal: ended.signal })) as [GoodTraffic])[0];
      return result;
    };
    await during('before', () => delay(QUIET_MS));
    const forged = await during('forgeries', () => sendForgeries(port, seed));
    const floods = [
      await during('large flood', () => flood('large', FLOOD_CONNECTIONS, port, FLOOD_MS)),
      await during('pipelined flood', () => flood('pipelined', FLOOD_CONNECTIONS, port, FLOOD_MS)),
    ];
    const kinds = ['slow headers', 'slow body'] as const;
    const slow = await during('slow clients', () =>
      Promise.all(kinds.map((kind) => slowClients(kind, SLOW_CLIENTS, port))),
    );
    traffic.kill();
    const sum = <T>(all: readonly T[], figure: (one: T) => number) =>
      all.reduce((total, one) => total + figure(one), 0);
    const foreign = await foreignEvents(stage);
    const isCrash = ([status]: [string, number]) => /^5(?!03)/.test(status);
    const crashes = stage.crashed.length + sum(Object.entries(forged.byStatus).filter(isCrash), ([, count]) => count);
    const accepted = forged.accepted.length + sum([...floods, ...slow], (one) => one.accepted) + foreign;
    const goodFailed = sum(Object.values(good), ({ failed }) => failed);
    const areAllCut = slow.every(({ cut, count }) => cut === count);
    return {
      tried: forged.tried + sum(floods, ({ answered }) => answered) + sum(slow, ({ count }) => count),
      ...{ accepted, crashes, byKind: forged.byKind, byStatus: forged.byStatus, sameParameters: forged.same },
      ...{ good, floods, slow, acceptedKinds: forged.accepted, seed },
      met: accepted === 0 && crashes === 0 && goodFailed === 0 && areAllCut,
    };
  } finally {
    await stage.close();
  }
}

async function sendForgeries(port: number, seed: number) {
  const [byKind, byStatus]: Record<string, number>[] = [{}, {}];
  /** `same` counts mutants that a lenient reader decodes to the signed parameters. */
  const outcome = { tried: 0, same: 0, accepted: [] as string[], byKind: byKind!, byStatus: byStatus! };
  const all = forgeries(new Random(seed), () => outcome.same++);
  const sendSome = async () => {
    for (let next = all.next(); !next.done; next = all.next()) {
      const { kind, request } = next.value;
      const { status, body } = await send(port, request);
      const answer = status === 0 ? 'closed' : String(status);
      outcome.byKind[kind] = (outcome.byKind[kind] ?? 0) + 1;
      outcome.byStatus[answer] = (outcome.byStatus[answer] ?? 0) + 1;
      if (status === 200 || body === 'OK')
        outcome.accepted.push(`${kind}: ${request.toString('latin1').slice(0, 600)}`);
      if (++outcome.tried % PROGRESS === 0)
        console.error(`${outcome.tried} forgeries sent, ${outcome.accepted.length} accepted …`);
    }
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

function print(report: Awaited<ReturnType<typeof attack>>): void {
  const { tried, accepted, crashes, byKind, byStatus, good, floods, slow, sameParameters } = report;
  console.log(columns(Object.entries(byKind)));
  console.log(columns(Object.entries(byStatus).map(([status, count]) => [`answered ${status}`, count])));
  console.table(good);
  console.table([...floods, ...slow]);
  console.log(`${sameParameters} mutations were left out: a lenient reader takes them for the same parameters`);
  console.log(`${tried} tried, ${accepted} accepted, ${crashes} crashes`);
}
