import { randomBytes } from 'node:crypto';
import type { Bench, Context } from './bench.js';
import { ENVIRONMENT_ID, SIGNING } from './commands.js';
import {
  bareLoop,
  inArena,
  javaPeer,
  nestServer,
  ours,
  PARALLEL_CONSUMERS,
  SPRING_KAFKA,
  standings,
  VERTX,
  type Arena,
  type OursRun,
  type Run,
  type Standing,
} from './contestants.js';
import { ownLatency } from './own-latency.js';
import { fetchedBytes, profiles } from './profile.bench.js';
import { row, type Row, type Target } from './report.js';
import { merchantsFile, type PlatformKind } from './stage.js';

/** Compares the shipped gateway with other programs that could handle the same commands. */
export const gateway: Bench = {
  name: 'gateway',
  parts: [
    { name: 'listeners', run: listeners },
    { name: 'latency-bound-64', run: (context) => latencyBound(context, 64) },
    { name: 'latency-bound-128', run: (context) => latencyBound(context, 128) },
    { name: 'latency-bound-256', run: (context) => latencyBound(context, 256, { rate: 0.95, cpu: 3 }) },
    { name: 'latency-bound-512', run: (context) => latencyBound(context, 512, { rate: 0.92, cpu: 3 }) },
    { name: 'latency-bound-1024', run: (context) => latencyBound(context, 1024) },
    { name: 'ceiling-simulator', run: (context) => ceiling(context, 'simulator') },
    { name: 'ceiling-lean', run: (context) => ceiling(context, 'lean') },
    { name: 'signed-commands', run: signedCommands },
    { name: 'sealed-index', run: sealedIndex },
    { name: 'own-latency', run: ownLatency },
    { name: 'three-instances', run: threeInstances },
  ],
  profiles,
};

/** Low enough that even three gateways wait for the platform and not for this machine's processors. */
const IN_FLIGHT_OF_THREE = 64;
/** One platform is as slow as real ones; the other costs next to nothing, so that only the gateway's own work counts. */
const SLOW = { platform: 'simulator', latencyMs: '100-500', count: 10_000 } as const;
const CEILING = { platform: 'lean', latencyMs: '0', count: 20_000 } as const;
const MOST_COMMANDS = 34_000;

/** Plain listeners handle one command of a partition at a time, so the number in flight makes no difference. */
async function listeners(context: Context): Promise<Row[]> {
  return inArena(context, SLOW.platform, SLOW.latencyMs, async (arena) => {
    const run = { inFlight: 256, count: context.commands ?? SLOW.count };
    const spring = { inFlight: 12, count: 1_000 };
    const found = await standings(
      { ...context, turns: 1 },
      {
        ...{ ours: () => ours(arena, run), nest: () => nestServer(arena, 1_000) },
        ...(PARALLEL_CONSUMERS.length > 0 && { [SPRING_KAFKA]: () => javaPeer(arena, SPRING_KAFKA, spring) }),
      },
    );
    return [compared('listeners', found, { atLeast: 200, times: 'nest' })];
  });
}

/**
 * The platform takes 100 to 500 ms, uniformly: this shows how much time the gateway adds between calls. Targets are multiples of the bare
 * loop's figures; against Parallel Consumer on Vert.x both are 1.
 */
async function latencyBound(context: Context, inFlight: number, targets?: { rate: number; cpu: number }) {
  return inArena(context, SLOW.platform, SLOW.latencyMs, async (arena) => {
    const count = context.commands ?? Math.min(inFlight * 66, MOST_COMMANDS); // about 20 seconds
    const found = await standings(context, contestants(arena, { inFlight, count }));
    const name = `latency-bound-${inFlight}`;
    const rows = [
      compared(name, found, targets && { atLeast: targets.rate, times: 'bare-loop' }),
      compared(`${name}-cpu`, found, targets && { atMost: targets.cpu, times: 'bare-loop' }),
    ];
    if (targets === undefined || found[VERTX] === undefined) return rows;
    const vertx = { ours: found.ours!, [VERTX]: found[VERTX] };
    return [
      ...rows,
      compared(`${name}-of-vertx`, vertx, { atLeast: 1, times: VERTX }),
      compared(`${name}-of-vertx-cpu`, vertx, { atMost: 1, times: VERTX }),
    ];
  });
}

const contestants = (arena: Arena, run: Run) => ({
  ...{ 'bare-loop': () => bareLoop(arena, run), ours: () => ours(arena, run) },
  ...Object.fromEntries(PARALLEL_CONSUMERS.map((name) => [name, () => javaPeer(arena, name, run)])),
});

/**
 * The platform answers at once. The simulator uses the same processors, so its share is shown apart; the lean platform shows the gateway's
 * own ceiling.
 */
async function ceiling(context: Context, kind: PlatformKind): Promise<Row[]> {
  return inArena(context, kind, '0', async (arena) => {
    const found = await standings(context, contestants(arena, { inFlight: 256, count: context.commands ?? 30_000 }));
    const name = `ceiling-${kind}`;
    if (kind === 'simulator') return [compared(name, found), compared(`${name}-cpu`, found)];
    return [
      compared(name, found, { atLeast: 3_500 }),
      compared(`${name}-cpu`, found, { atMost: 4, times: 'bare-loop' }),
      compared(`${name}-own-cpu`, { ours: found.ours! }, { atMost: 0.33 }),
    ];
  });
}

/** Makes a row of rates, or of processor times if its name ends in `-cpu`, with the other processes' times as details of the rates. */
function compared(name: string, { ours: own, ...peers }: Record<string, Standing>, target?: Target): Row {
  const isCpu = name.endsWith('-cpu');
  const figure = ({ perSecond, cpuMs }: Standing) => (isCpu ? cpuMs : perSecond);
  const { platformCpuMs, restCpuMs, seconds } = own!;
  return row({
    ...{ name, unit: isCpu ? 'ms/command' : 'commands/s', ours: figure(own!), target },
    peers: Object.fromEntries(Object.entries(peers).map(([peer, one]) => [peer, figure(one)])),
    ...(!isCpu && { details: { gatewayCpuMs: own!.cpuMs, platformCpuMs, restCpuMs, seconds } }),
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

/** Compares the gateway with and without a feature. */
async function beside(context: Context, comparison: Comparison): Promise<Row[]> {
  const { name, peer, atLeast, platform, latencyMs, count, options } = comparison;
  return inArena(context, platform, latencyMs, async (arena) => {
    const run = { inFlight: 256, count: context.commands ?? count };
    const both = { ours: () => ours(arena, { ...run, ...options }), [peer]: () => ours(arena, run) };
    const found = await standings(context, both);
    const target = atLeast === undefined ? undefined : { atLeast, times: peer };
    return [compared(name, found, target), compared(`${name}-cpu`, found)];
  });
}

/** Compares one gateway and three on the same commands, bound by the platform's 100 to 500 ms; and what each reads from Kafka. */
async function threeInstances(context: Context): Promise<Row[]> {
  const count = (instances: number) => context.commands ?? instances * IN_FLIGHT_OF_THREE * 66;
  const rate = await inArena(context, SLOW.platform, SLOW.latencyMs, async (arena) => {
    const together = (instances: number) =>
      ours(arena, { inFlight: IN_FLIGHT_OF_THREE, count: count(instances), instances });
    const found = await standings(context, { one: () => together(1), ours: () => together(3) });
    return compared('three-instances', found, { atLeast: 2.7, times: 'one' });
  });
  return [rate, await fetchedBytes(context, count(1))];
}
