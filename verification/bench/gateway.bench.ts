import { randomBytes } from 'node:crypto';
import { TOPICS } from '@tranche/contracts';
import { median } from '../figures.js';
import type { Bench, Context } from './bench.js';
import { ENVIRONMENT_ID, SIGNING } from './commands.js';
import { ownLatency } from './own-latency.js';
import { startScript, type Running } from './processes.js';
import { profiles } from './profile.bench.js';
import { rateOf, type Rate } from './rate.js';
import { row, type Row } from './report.js';
import { forget, merchantsFile, Stage, startGateway, startPlatform, type PlatformKind } from './stage.js';

/** Compares the shipped gateway with other programs that could handle the same commands. */
export const gateway: Bench = {
  name: 'gateway',
  about: 'commands/s, own latency and processor time of one gateway, against Nest’s Kafka server and undici alone',
  parts: [
    { name: 'latency-bound-256', run: (context) => latencyBound(context, 256) },
    { name: 'latency-bound-512', run: (context) => latencyBound(context, 512) },
    { name: 'ceiling-simulator', run: (context) => ceiling(context, 'simulator') },
    { name: 'ceiling-lean', run: (context) => ceiling(context, 'lean') },
    { name: 'signed-commands', run: signedCommands },
    { name: 'sealed-index', run: sealedIndex },
    { name: 'own-latency', run: ownLatency },
    { name: 'three-instances', run: threeInstances },
  ],
  profiles,
};

const TIME_BOX_MS = 120_000;
const NEST_TIME_BOX_MS = 60_000;
const TURNS = 3;
/** Low enough that even three gateways wait for the platform and not for this machine's processors. */
const IN_FLIGHT_OF_THREE = 64;
/** One platform is as slow as real ones; the other costs next to nothing, so that only the gateway's own work counts. */
const SLOW = { platform: 'simulator', latencyMs: '100-500', count: 10_000 } as const;
const CEILING = { platform: 'lean', latencyMs: '0', count: 20_000 } as const;

/** Our gateways and every peer of a run call the same platform process. */
interface Arena {
  context: Context;
  platform: Running;
}

async function inArena<T>(context: Context, kind: PlatformKind, latencyMs: string, use: (arena: Arena) => Promise<T>) {
  const platform = await startPlatform(kind, latencyMs);
  try {
    return await use({ context, platform });
  } finally {
    await platform.stop();
  }
}

/** Nest has no cap of its own and always reaches the same rate, so a run measures it once. */
let nest: number | undefined;

/** The platform takes 100 to 500 ms, uniformly: this shows how much time the gateway adds between calls. */
async function latencyBound(context: Context, inFlight: number): Promise<Row[]> {
  return inArena(context, SLOW.platform, SLOW.latencyMs, async (arena) => {
    const count = context.commands ?? inFlight * 66; // about 20 seconds
    const bare = await bareLoop(arena, inFlight, count);
    const own = await ours(arena, { inFlight, count });
    nest ??= (await nestServer(arena, 1_000)).perSecond;
    const of = { unit: 'commands/s', ours: own.perSecond };
    return [
      row({
        ...{ ...of, name: `latency-bound-${inFlight}-bare-loop`, peers: { 'bare-loop': bare.perSecond } },
        target: { atLeast: 0.9, times: 'bare-loop' },
        details: { ...cpuOf(own), bareLoopCpuMs: bare.cpuMs.peer ?? 0 },
      }),
      row({
        ...{ ...of, name: `latency-bound-${inFlight}-nest`, peers: { nest } },
        target: { atLeast: 200, times: 'nest' },
      }),
    ];
  });
}

/**
 * The platform answers at once. The simulator uses the same processors, so its share is shown apart; the lean platform shows the gateway's
 * own ceiling.
 */
async function ceiling(context: Context, kind: PlatformKind): Promise<Row[]> {
  return inArena(context, kind, '0', async (arena) => {
    const [inFlight, count] = [256, context.commands ?? 30_000];
    const own = await ours(arena, { inFlight, count });
    const bare = await bareLoop(arena, inFlight, count);
    const peers = { 'bare-loop': bare.perSecond };
    return [
      row({
        ...{ name: `ceiling-${kind}`, unit: 'commands/s', ours: own.perSecond, peers },
        ...{ target: { atLeast: 3_000 }, details: cpuOf(own) },
      }),
      cpuRow(`ceiling-${kind}`, own.cpuMs.gateway, { 'bare-loop': bare.cpuMs.peer ?? 0 }),
    ];
  });
}

/** Every command is signed by its publisher, and its signature is checked before anything in it is read (design, section 11). */
async function signedCommands(context: Context): Promise<Row[]> {
  const env = { MERCHANTS_FILE: merchantsFile(SIGNING), ENVIRONMENT_ID };
  const signed = { peer: 'unsigned', atLeast: 0.93, options: { isSigned: true, env } };
  return [
    ...(await beside(context, { name: 'signed-commands', ...signed, ...SLOW })),
    ...(await beside(context, { name: 'signed-commands-ceiling', ...signed, ...CEILING })),
  ];
}

/** Every entry of the order index has an HMAC (decision record 0052). */
function sealedIndex(context: Context): Promise<Row[]> {
  const env = { INDEX_HMAC_KEYS: `bench:${randomBytes(32).toString('base64')}` };
  return beside(context, { name: 'sealed-index-ceiling', peer: 'unsealed', ...CEILING, options: { env } });
}

interface Comparison {
  name: string;
  peer: string;
  atLeast?: number;
  platform: PlatformKind;
  latencyMs: string;
  count: number;
  options: Partial<OursRun>;
}

/** The gateway with and without the feature take turns; each goes first equally often. The row has the medians of both. */
async function beside(context: Context, comparison: Comparison): Promise<Row[]> {
  const { name, peer, atLeast, platform, latencyMs, count, options } = comparison;
  return inArena(context, platform, latencyMs, async (arena) => {
    const run = { inFlight: 256, count: context.commands ?? count };
    const [withIt, without] = [[], []] as [Rate[], Rate[]];
    for (let turn = 0; turn < TURNS; turn++) {
      const first = async () => withIt.push(await ours(arena, { ...run, ...options }));
      const second = async () => without.push(await ours(arena, run));
      for (const one of turn % 2 === 0 ? [first, second] : [second, first]) await one();
    }
    const perSecond = (rates: Rate[]) => median(rates.map((rate) => rate.perSecond));
    const cpuMs = (rates: Rate[]) => median(rates.map((rate) => rate.cpuMs.gateway ?? 0));
    const target = atLeast === undefined ? undefined : { atLeast, times: peer };
    const peers = { [peer]: perSecond(without) };
    return [
      row({ name, unit: 'commands/s', ours: perSecond(withIt), peers, target }),
      cpuRow(name, cpuMs(withIt), { [peer]: cpuMs(without) }),
    ];
  });
}

/** Compares one gateway and three on the same commands, bound by the platform's 100 to 500 ms. */
async function threeInstances(context: Context): Promise<Row[]> {
  return inArena(context, SLOW.platform, SLOW.latencyMs, async (arena) => {
    const together = async (instances: number) => {
      const count = context.commands ?? instances * IN_FLIGHT_OF_THREE * 66;
      return (await ours(arena, { inFlight: IN_FLIGHT_OF_THREE, count, instances })).perSecond;
    };
    const peers = { one: await together(1) };
    const target = { atLeast: 2.7, times: 'one' };
    return [row({ name: 'three-instances', unit: 'commands/s', ours: await together(3), peers, target })];
  });
}

interface OursRun {
  inFlight: number;
  count: number;
  instances?: number;
  isSigned?: boolean;
  env?: Record<string, string>;
}

/** A command counts as done when its event is published: its intent and its outcome are in the journal by then. */
async function ours({ context, platform }: Arena, run: OursRun): Promise<Rate> {
  const { inFlight, count, instances = 1, isSigned = false, env = {} } = run;
  const stage = await Stage.open(context);
  const gateways: Running[] = [];
  try {
    await forget(platform);
    context.log(`ours: ${count} commands, ${instances} × ${inFlight} in flight`);
    const start = async () => void gateways.push(await startGateway({ ...context, stage, platform, inFlight, env }));
    // Gateways that share the partitions must have them before the commands come.
    while (instances > 1 && gateways.length < instances) await start();
    await stage.fill(0, count, isSigned);
    if (gateways.length === 0) await start();
    const rate = await rateOf({
      done: () => {
        for (const gateway of gateways) gateway.assertRunning();
        return stage.records(TOPICS.events);
      },
      ...{ total: count, timeBoxMs: TIME_BOX_MS, everyMs: 400 },
      processes: { gateway: gateways[0]!.pid, platform: platform.pid },
    });
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    const journaled = await stage.records(TOPICS.journal);
    if (journaled < 2 * (await stage.records(TOPICS.events)))
      throw new Error(`Only ${journaled} journal records were written`);
    const cpuMs = (rate.cpuMs.gateway ?? 0).toFixed(2);
    context.log(`ours: ${rate.perSecond.toFixed(0)}/s, gateway ${cpuMs} ms of processor time each`);
    return rate;
  } finally {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await stage.remove();
  }
}

function bareLoop(arena: Arena, inFlight: number, count: number): Promise<Rate> {
  return peer(arena, 'bare-loop', { IN_FLIGHT: String(inFlight), COUNT: String(count) }, count, TIME_BOX_MS);
}

async function nestServer(arena: Arena, count: number): Promise<Rate> {
  const stage = await Stage.open(arena.context);
  try {
    await stage.fill(0, count);
    const kafka = { KAFKA_BROKERS: arena.context.brokers, TOPIC: stage.commandTopic, GROUP_ID: `${stage.prefix}nest` };
    return await peer(arena, 'nest', kafka, count, NEST_TIME_BOX_MS);
  } finally {
    await stage.remove();
  }
}

async function peer(
  { context, platform }: Arena,
  name: string,
  env: Record<string, string>,
  total: number,
  timeBoxMs: number,
): Promise<Rate> {
  await forget(platform);
  const report = { done: 0 };
  const child = await startScript({
    main: ['peers/main.js', name],
    env: { ...env, PAYMENT_URL: platform.url },
    onMessage: (message) => Object.assign(report, message),
  });
  const done = () => {
    child.assertRunning();
    return report.done;
  };
  try {
    const rate = await rateOf({ done, total, timeBoxMs, processes: { peer: child.pid, platform: platform.pid } });
    context.log(`${name}: ${rate.perSecond.toFixed(1)}/s`);
    return rate;
  } finally {
    await child.stop();
  }
}

/** Returns the processor times of a rate as details of a row, in milliseconds per command. */
const cpuOf = ({ cpuMs: { gateway = 0, platform = 0, rest = 0 }, seconds }: Rate): Record<string, number> => ({
  ...{ gatewayCpuMs: gateway, platformCpuMs: platform, restCpuMs: rest, seconds },
});

const cpuRow = (name: string, cpuMs = 0, peers: Record<string, number> = {}): Row =>
  row({ name: `${name}-cpu`, unit: 'ms of processor time per command', ours: cpuMs, peers });
