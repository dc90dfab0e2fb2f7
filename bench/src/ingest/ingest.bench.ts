import type { Bench, Context } from '../bench.js';
import { median } from '../rate.js';
import { row, type Row } from '../report.js';
import { Stage } from '../stage.js';
import { round, startBareFastify, startIngest, type Contestant, type Round } from './contestants.js';

const ROUNDS = 3;
const COUNT = 30_000;
const FLOOR = 0.7;

/** What verifying and storing a notification costs in a service, beside the least that would do it. */
export const ingest: Bench = {
  name: 'ingest',
  about: 'notifications verified, stored with acks=all and answered OK, 64 connections, against a bare Fastify handler',
  parts: [
    { name: 'get', run: (context) => measured(context, 'GET') },
    { name: 'post', run: (context) => measured(context, 'POST') },
  ],
};

/** Turn by turn, so that whatever else the machine does hits both; a round to warm up each, then the median of the others. */
async function measured(context: Context, method: 'GET' | 'POST'): Promise<Row[]> {
  const count = context.commands ?? COUNT;
  const stage = await Stage.open(context);
  const contestants: Contestant[] = [];
  try {
    contestants.push(await startIngest(context, stage));
    contestants.push(await startBareFastify('bare-fastify', 'event', context, stage));
    contestants.push(await startBareFastify('bare-fastify-parameters', 'parameters', context, stage));
    const rounds = new Map<Contestant, Round[]>(contestants.map((contestant) => [contestant, []]));
    for (let n = 0; n <= ROUNDS; n++) {
      for (const [contestant, taken] of rounds) {
        const figures = await round(stage, contestant, { count, method });
        if (n > 0) taken.push(figures);
        const { perSecond, p50Ms, p99Ms, cpuMs } = figures;
        context.log(
          `${contestant.name}${n === 0 ? ' (warming up)' : ''}: ${perSecond.toFixed(0)}/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, ` +
            `processor ${(cpuMs.server ?? 0).toFixed(3)} ms each, the load's ${(cpuMs.load ?? 0).toFixed(3)}, the rest ${(cpuMs.rest ?? 0).toFixed(3)}`,
        );
      }
    }
    const [ours = [], ...peers] = rounds.values();
    const names = contestants.slice(1).map(({ name }) => name);
    return rows(method.toLowerCase(), ours, new Map(names.map((name, index) => [name, peers[index] ?? []])));
  } finally {
    await Promise.all(contestants.map(({ process }) => process.stop()));
    await stage.remove();
  }
}

type Figure = (round: Round) => number;

function rows(name: string, ours: Round[], peers: Map<string, Round[]>): Row[] {
  const of = (taken: Round[], figure: Figure) => median(taken.map(figure));
  const all = (figure: Figure) => ({
    ours: of(ours, figure),
    peers: Object.fromEntries([...peers].map(([peer, taken]) => [peer, of(taken, figure)])),
  });
  const cpu = (process: string) => (round: Round) => round.cpuMs[process] ?? 0;
  const rates = ours.map(({ perSecond }) => perSecond);
  const details = {
    loadCpuMs: of(ours, cpu('load')),
    restCpuMs: of(ours, cpu('rest')),
    slowestRound: Math.min(...rates),
    fastestRound: Math.max(...rates),
  };
  const rate = all(({ perSecond }) => perSecond);
  return [
    row({ name, unit: 'notifications/s', ...rate, target: { atLeast: FLOOR, times: 'bare-fastify' }, details }),
    row({ name: `${name}-p50`, unit: 'ms', ...all(({ p50Ms }) => p50Ms) }),
    row({ name: `${name}-p99`, unit: 'ms', ...all(({ p99Ms }) => p99Ms) }),
    row({ name: `${name}-cpu`, unit: 'ms of processor time each', ...all(cpu('server')) }),
  ];
}
