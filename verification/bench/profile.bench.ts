import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from 'redis';
import { TOPICS } from '@tranche/contracts';
import { waitFor } from '@tranche/testing';
import type { Context, Part } from './bench.js';
import { hotFunctions, type CpuProfile } from './hot-functions.js';
import type { Counted } from './profiler.js';
import { rounded, row, type Row } from './report.js';
import { Stage, startGateway, startPlatform, type PlatformKind } from './stage.js';

interface Load {
  name: string;
  platform: PlatformKind;
  latencyMs: string;
  /** Commands. */
  count: number;
  /** Without a pace, all commands are in Kafka before the gateway starts. */
  perSecond?: number;
}

const IN_FLIGHT = 256;
const MOST_FUNCTIONS = 20;
const TIME_BOX_MS = 300_000;

const LOADS: readonly Load[] = [
  { name: 'profile-paced', platform: 'simulator', latencyMs: '0', count: 4_000, perSecond: 100 },
  { name: 'profile-slow', platform: 'simulator', latencyMs: '100-500', count: 20_000 },
  { name: 'profile-ceiling', platform: 'lean', latencyMs: '0', count: 30_000 },
];

/** Each shows what a gateway spends its time on and asks of others, between a fifth and nine tenths of the commands. */
export const profiles: Part[] = LOADS.map((load) => ({ name: load.name, run: (context) => profile(context, load) }));

async function profile(context: Context, { name, platform: kind, latencyMs, count, perSecond }: Load): Promise<Row[]> {
  const total = context.commands ?? count;
  const file = fileOf(name);
  const platform = await startPlatform(kind, latencyMs);
  const stage = await Stage.open(context);
  const options = { ...context, stage, platform, inFlight: IN_FLIGHT, profileFile: file };
  try {
    if (perSecond === undefined) await stage.fill(0, total);
    const gateway = await startGateway(options);
    const appending = perSecond === undefined ? undefined : stage.pace(0, total, perSecond);
    const events = async () => {
      gateway.assertRunning();
      return stage.records(TOPICS.events);
    };
    const overdue = AbortSignal.timeout(TIME_BOX_MS);
    const reach = async (share: number) => {
      while ((await events()) < share * total) await delay(200, undefined, { signal: overdue });
      process.kill(gateway.pid, 'SIGUSR2');
      return { done: await events(), redis: await redisCounts(context.redisUrl) };
    };
    const from = await reach(0.2);
    const to = await reach(0.9);
    await waitFor(() => existsSync(countsOf(file)), { timeoutMs: 60_000, what: 'the profile' });
    await appending;
    await gateway.stop();
    context.log(`profile: ${file} (Chrome’s developer tools and speedscope.app show it)`);
    const redis = {
      redisCommands: to.redis.commands - from.redis.commands,
      redisRoundTrips: to.redis.roundTrips - from.redis.roundTrips,
    };
    return rowsOf(name, file, to.done - from.done, redis);
  } finally {
    await platform.stop();
    await stage.remove();
  }
}

/** A file that a profile before left behind would be taken for this one. */
function fileOf(name: string): string {
  const file = resolve('.infra', 'profiles', `${name}.cpuprofile`);
  mkdirSync(dirname(file), { recursive: true });
  for (const old of [file, countsOf(file)]) rmSync(old, { force: true });
  return file;
}

const countsOf = (file: string) => `${file}.counts.json`;

function rowsOf(name: string, file: string, done: number, redis: Record<string, number>): Row[] {
  const { counts, cpuMs, wallMs } = JSON.parse(readFileSync(countsOf(file), 'utf8')) as Counted;
  const { idle, functions } = hotFunctions(JSON.parse(readFileSync(file, 'utf8')) as CpuProfile, MOST_FUNCTIONS);
  const sorted = Object.entries({ ...counts, ...redis }).sort(([a], [b]) => a.localeCompare(b));
  const each = Object.fromEntries(sorted.map(([what, number]) => [what, number / done]));
  const details = { ...each, perSecond: (done * 1000) / wallMs, idleShare: idle };
  return [
    row({ name, unit: 'ms of processor time per command, while profiled', ours: cpuMs / done, details }),
    // Samples also count time in which other processes had the core, so processor time is shared out by them.
    ...functions.map(({ name: of, share }) => ({
      ...row({ name: `${name}: ${of}`, unit: 'µs per command', ours: (share * cpuMs * 1000) / done }),
      ratio: rounded(share),
    })),
  ];
}

/** Redis counts for all its clients, but only the gateway uses it meanwhile. A read takes all that came with one or more packets. */
async function redisCounts(url: string): Promise<{ commands: number; roundTrips: number }> {
  const redis = await createClient({ url }).connect();
  const stats = await redis.info('stats');
  await redis.close();
  const stat = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(stats)?.[1]);
  return { commands: stat('total_commands_processed'), roundTrips: stat('total_reads_processed') };
}
