import { randomBytes } from 'node:crypto';
import { median } from '../../figures.js';
import type { Context } from '../bench.js';
import type { Rate } from '../rate.js';
import { row, type Row } from '../report.js';
import type { PlatformKind } from '../stage.js';
import { ours, type Arena, type OursRun } from './contestants.js';
import { inArena } from './gateway.bench.js';

const TURNS = 3;

interface Comparison {
  name: string;
  peer: string;
  atLeast?: number;
  platform: PlatformKind;
  latencyMs: string;
  count: number;
}

/** One platform is as slow as real ones; the other costs next to nothing, so that only the gateway's own work counts. */
const LATENCY_BOUND = { platform: 'simulator', latencyMs: '100-500', count: 10_000 } as const;
const CEILING = { platform: 'lean', latencyMs: '0', count: 20_000 } as const;

/** Every command is signed by its publisher, and its signature is checked before anything in it is read (design, section 11). */
export async function signedCommands(context: Context): Promise<Row[]> {
  const peer = { peer: 'unsigned', atLeast: 0.93 };
  const isSigned = { isSigned: true };
  return [
    ...(await beside(context, { name: 'signed-commands', ...peer, ...LATENCY_BOUND }, isSigned)),
    ...(await beside(context, { name: 'signed-commands-ceiling', ...peer, ...CEILING }, isSigned)),
  ];
}

/** Every entry of the order index has an HMAC (decision record 0052). */
export function sealedIndex(context: Context): Promise<Row[]> {
  const env = { INDEX_HMAC_KEYS: `bench:${randomBytes(32).toString('base64')}` };
  return beside(context, { name: 'sealed-index-ceiling', peer: 'unsealed', ...CEILING }, { env });
}

/** The gateway with and without the feature take turns; each goes first equally often. The row has the medians of both. */
async function beside(
  context: Context,
  { name, peer, atLeast, platform, latencyMs, count }: Comparison,
  options: Partial<OursRun>,
): Promise<Row[]> {
  return inArena(context, platform, latencyMs, async (arena: Arena) => {
    const run = { inFlight: 256, count: context.commands ?? count };
    const [withIt, without] = [[], []] as [Rate[], Rate[]];
    for (let turn = 0; turn < TURNS; turn++) {
      const first = async () => withIt.push(await ours(arena, { ...run, ...options }));
      const second = async () => without.push(await ours(arena, run));
      for (const one of turn % 2 === 0 ? [first, second] : [second, first]) await one();
    }
    const perSecond = (rates: Rate[]) => median(rates.map((rate) => rate.perSecond));
    const cpuMs = (rates: Rate[]) => median(rates.map((rate) => rate.cpuMs.gateway ?? 0));
    return [
      row({
        name,
        unit: 'commands/s',
        ours: perSecond(withIt),
        peers: { [peer]: perSecond(without) },
        target: atLeast === undefined ? undefined : { atLeast, times: peer },
      }),
      row({
        name: `${name}-cpu`,
        unit: 'ms of processor time per command',
        ours: cpuMs(withIt),
        peers: { [peer]: cpuMs(without) },
      }),
    ];
  });
}
