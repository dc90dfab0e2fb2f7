import type { Bench, Context } from '../bench.js';
import { row, type Row } from '../report.js';
import { startPlatform, type PlatformKind } from '../stage.js';
import { bareLoop, cpuDetails, nestServer, ours, type Arena } from './contestants.js';
import { ownLatency } from './own-latency.js';
import { sealedIndex, signedCommands } from './safety-cost.js';
import { threeInstances } from './three-instances.js';

const NEST_TIME_BOX_MS = 60_000;

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
};

/** Nest has no cap of its own and always reaches the same rate, so a run measures it once. */
let nest: number | undefined;

/** The platform takes 100 to 500 ms, uniformly: this shows how much time the gateway adds between calls. */
async function latencyBound(context: Context, inFlight: number): Promise<Row[]> {
  return inArena(context, 'simulator', '100-500', async (arena) => {
    const count = context.commands ?? inFlight * 66; // about 20 seconds
    const bare = await bareLoop(arena, { inFlight, count });
    const own = await ours(arena, { inFlight, count });
    const bareRow = row({
      name: `latency-bound-${inFlight}-bare-loop`,
      unit: 'commands/s',
      ours: own.perSecond,
      peers: { 'bare-loop': bare.perSecond },
      target: { atLeast: 0.9, times: 'bare-loop' },
      details: { ...cpuDetails(own, 'gateway'), bareLoopCpuMs: bare.cpuMs.peer ?? 0 },
    });
    nest ??= (await nestServer(arena, { count: 1_000, timeBoxMs: NEST_TIME_BOX_MS })).perSecond;
    const nestRow = row({
      name: `latency-bound-${inFlight}-nest`,
      unit: 'commands/s',
      ours: own.perSecond,
      peers: { nest },
      target: { atLeast: 200, times: 'nest' },
    });
    return [bareRow, nestRow];
  });
}

/**
 * The platform answers at once. The simulator uses the same processors, so its share is shown apart; the lean platform shows the gateway's
 * own ceiling.
 */
async function ceiling(context: Context, kind: PlatformKind): Promise<Row[]> {
  return inArena(context, kind, '0', async (arena) => {
    const inFlight = 256;
    const count = context.commands ?? 30_000;
    const own = await ours(arena, { inFlight, count });
    const bare = await bareLoop(arena, { inFlight, count });
    const target = { atLeast: 3_000 };
    return [
      row({
        name: `ceiling-${kind}`,
        unit: 'commands/s',
        ours: own.perSecond,
        peers: { 'bare-loop': bare.perSecond },
        target,
        details: cpuDetails(own, 'gateway'),
      }),
      row({
        name: `ceiling-${kind}-cpu`,
        unit: 'ms of processor time per command',
        ours: own.cpuMs.gateway ?? 0,
        peers: { 'bare-loop': bare.cpuMs.peer ?? 0 },
      }),
    ];
  });
}

export async function inArena<T>(
  context: Context,
  kind: PlatformKind,
  latencyMs: string,
  use: (arena: Arena) => Promise<T>,
): Promise<T> {
  const platform = await startPlatform(kind, latencyMs);
  try {
    return await use({ context, platform, kind });
  } finally {
    await platform.stop();
  }
}
