import { setTimeout as delay } from 'node:timers/promises';
import { TOPICS } from '@tranche/contracts';
import { median } from '../figures.js';
import type { Bench, Context } from './bench.js';
import { cpuMsOf, rateOf, rssOf } from './rate.js';
import { row, type Row } from './report.js';
import { Stage, startGateway, startPlatform } from './stage.js';

const IN_FLIGHT = 256;
const MIB = 1024 * 1024;
const TIME_BOX_MS = 280_000;
/** In the steady part, the topic holds this many commands that the gateway has not handled yet. */
const AHEAD = 2_000;
/** The last fifth may need this many times the memory of the second: V8's garbage collection is not regular. */
const FLAT = 1.15;
const MOST_MIB = 400;
const IDLE_WARM_UP_MS = 15_000;
const IDLE_MS = 60_000;

/** Measures memory over many commands and over a long backlog: neither may make it grow. */
export const memory: Bench = {
  name: 'memory',
  parts: [
    // Commands are appended as the gateway takes them.
    { name: 'steady', run: (context) => measured(context, 'steady', context.commands ?? 200_000, AHEAD) },
    // All commands wait when the gateway starts.
    { name: 'backlog', run: (context) => measured(context, 'backlog', context.commands ?? 100_000, Infinity) },
    { name: 'idle', run: idle },
  ],
};

/** Nothing comes; the first seconds, in which V8 still compiles, do not count. */
async function idle(context: Context): Promise<Row[]> {
  await using platform = await startPlatform('lean', '0');
  await using stage = await Stage.open(context);
  await using gateway = await startGateway({ ...context, stage, platform, inFlight: IN_FLIGHT });
  await delay(IDLE_WARM_UP_MS);
  const [begunMs, cpuMs] = [performance.now(), cpuMsOf(gateway.pid)];
  await delay(IDLE_MS);
  const share = (cpuMsOf(gateway.pid) - cpuMs) / (performance.now() - begunMs);
  return [row({ name: 'idle-cpu', unit: '% of a core', ours: share * 100, target: { atMost: 2.5 } })];
}

async function measured(context: Context, name: string, total: number, ahead: number): Promise<Row[]> {
  await using platform = await startPlatform('lean', '0');
  await using stage = await Stage.open(context);
  let sent = 0;
  const feed = async (done: number) => {
    const from = sent;
    sent = Math.max(sent, Math.min(total, done + ahead));
    await stage.fill(from, sent);
  };
  await feed(0);
  await using gateway = await startGateway({ ...context, stage, platform, inFlight: IN_FLIGHT });
  const { pid } = gateway;
  const samples: { done: number; mib: number }[] = [];
  const rate = await rateOf({
    async done() {
      gateway.assertRunning();
      const done = await stage.records(TOPICS.events);
      samples.push({ done, mib: rssOf(pid) / MIB });
      await feed(done);
      return done;
    },
    ...{ total, timeBoxMs: TIME_BOX_MS, everyMs: 100, processes: { gateway: pid, platform: platform.pid } },
  });
  const all = samples.at(-1)?.done ?? 0;
  const fifth = (nth: number) =>
    median(samples.filter(({ done }) => Math.ceil((done * 5) / all) === nth).map(({ mib }) => mib));
  const ours = fifth(5);
  return [
    row({
      ...{ name: `${name}-rss`, unit: 'MiB in the last fifth', ours, peers: { 'second-fifth': fifth(2) } },
      ...{ target: { atMost: FLAT, times: 'second-fifth' }, details: { commands: all } },
    }),
    ...(name === 'steady' ? [row({ name: 'steady-mib', unit: 'MiB', ours, target: { atMost: MOST_MIB } })] : []),
    row({
      ...{ name: `${name}-cpu`, unit: 'ms of processor time per command', ours: rate.cpuMs.gateway ?? 0 },
      details: { commandsPerSecond: rate.perSecond, restCpuMs: rate.cpuMs.rest ?? 0 },
    }),
  ];
}
