import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TOPICS } from '@tranche/contracts';
import { waitFor } from '@tranche/testing';
import type { Context, Part } from './bench.js';
import { hotFunctions, type CpuProfile } from './hot-functions.js';
import type { Counted } from './profiler.js';
import { rounded, row, type Row } from './report.js';
import { infoOf, Stage, startGateways, startPlatform, WARM_UP, type PlatformKind } from './stage.js';

interface Load {
  name: string;
  platform: PlatformKind;
  latencyMs: string;
  /** Commands. */
  count: number;
  /** Without a pace, all commands are in Kafka before the gateway starts. With one, `WARM_UP` other commands are handled before them. */
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

async function profile(context: Context, load: Load): Promise<Row[]> {
  const { name } = load;
  const [file] = filesOf(name, 1);
  const { done, counted, redis } = await observed(context, load, [file!]);
  context.log(`profile: ${file} (Chrome’s developer tools and speedscope.app show it)`);
  return rowsOf(name, file!, done, counted[0]!, redis);
}

/** Bytes that each of three gateways fetches from Kafka for a command that any of them handles, beside those of one. */
export async function fetchedBytes(context: Context, count: number): Promise<Row> {
  const name = 'three-instances-fetched';
  const each = async (instances: number) => {
    context.log(`bytes fetched by each of ${instances}`);
    const load: Load = { name, platform: 'simulator', latencyMs: '100-500', count };
    const { done, counted } = await observed(context, load, filesOf(name, instances));
    return counted.reduce((sum, { counts }) => sum + (counts.kafkaFetchedBytes ?? 0), 0) / instances / done;
  };
  const peers = { one: await each(1) };
  const target = { atMost: 0.36, times: 'one' };
  return row({ name, unit: 'bytes per command, each instance', ours: await each(3), peers, target });
}

/** Runs a gateway for each file and returns what they did between a fifth and nine tenths of the events. */
async function observed(context: Context, load: Load, files: readonly string[]) {
  const { platform: kind, latencyMs, count, perSecond } = load;
  const total = context.commands ?? count;
  await using platform = await startPlatform(kind, latencyMs);
  await using stage = await Stage.open(context);
  const options = { ...context, stage, platform, inFlight: Math.floor(IN_FLIGHT / files.length) };
  const append = () => (perSecond === undefined ? stage.fill(0, total) : stage.pace(0, total, perSecond));
  const isFilledFirst = perSecond === undefined && files.length === 1;
  const warmUp = perSecond === undefined ? 0 : WARM_UP;
  if (isFilledFirst) await append();
  await using gateways = await startGateways(files.map((profileFile) => ({ ...options, profileFile })));
  const events = () => {
    gateways.assertRunning();
    return stage.records(TOPICS.events);
  };
  const deadlineMs = performance.now() + TIME_BOX_MS;
  const handled = async (wanted: number) => {
    for (let done = 0; done < wanted; done = await events()) {
      if (performance.now() > deadlineMs) throw new Error(`Only ${done} of ${wanted} commands have an event`);
      await delay(200);
    }
  };
  await stage.fill(total, total + warmUp);
  await handled(warmUp);
  const appending = isFilledFirst ? undefined : append();
  const reach = async (share: number) => {
    await handled(warmUp + share * total);
    for (const pid of gateways.pids) process.kill(pid, 'SIGUSR2');
    return { done: await events(), ...(await redisCounts(context.redisUrl)) };
  };
  const from = await reach(0.2);
  const to = await reach(0.9);
  const areWritten = () => files.every((file) => existsSync(countsOf(file)));
  await waitFor(areWritten, { timeoutMs: 60_000, what: 'the profile' });
  await appending;
  return {
    counted: files.map((file) => JSON.parse(readFileSync(countsOf(file), 'utf8')) as Counted),
    done: to.done - from.done,
    redis: {
      redisCommands: to.redisCommands - from.redisCommands,
      redisRoundTrips: to.redisRoundTrips - from.redisRoundTrips,
    },
  };
}

/** Files that a profile before left behind would be taken for these. */
function filesOf(name: string, count: number): string[] {
  const folder = resolve('.infra', 'profiles');
  mkdirSync(folder, { recursive: true });
  const files = Array.from({ length: count }, (_, n) =>
    resolve(folder, `${name}${n === 0 ? '' : `-${n + 1}`}.cpuprofile`),
  );
  for (const old of files.flatMap((file) => [file, countsOf(file)])) rmSync(old, { force: true });
  return files;
}

const countsOf = (file: string) => `${file}.counts.json`;

function rowsOf(name: string, file: string, done: number, counted: Counted, redis: Record<string, number>): Row[] {
  const { counts, cpuMs, wallMs } = counted;
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
const redisCounts = async (url: string) => ({
  redisCommands: await infoOf(url, 'total_commands_processed'),
  redisRoundTrips: await infoOf(url, 'total_reads_processed'),
});
