import { randomBytes } from 'node:crypto';
import type { Bench, Context } from '../bench.js';
import { median } from '../rate.js';
import { row, type Row } from '../report.js';
import { keyAnswer, round, startBareConstant, startCseTokenService, startKeyProvider, type Contestant, type Round } from './contestants.js';
import { removeTraces } from './traces.js';

const ROUNDS = 5;
const COUNT = 60_000;
const FLOOR = 0.8;

/** What handing out a key costs in a service, beside the least that would do it. */
export const keys: Bench = {
  name: 'keys',
  about: 'encryption keys handed to pages, 64 connections, against a bare Fastify handler with a constant answer',
  parts: [{ name: 'held', run: measured }],
};

/** Turn by turn, so that whatever else the machine does hits both; a round to warm up each, then the median of the others. */
async function measured(context: Context): Promise<Row[]> {
  const count = context.commands ?? COUNT;
  const prefix = `bench-${randomBytes(4).toString('hex')}.`;
  const answer = keyAnswer();
  const provider = await startKeyProvider(answer);
  const contestants: Contestant[] = [];
  try {
    const ours = await startCseTokenService(context, provider.url, prefix);
    contestants.push(ours);
    contestants.push(await startBareConstant(ours));
    const rounds = new Map<Contestant, Round[]>(contestants.map((contestant) => [contestant, []]));
    for (let n = 0; n <= ROUNDS; n++) {
      for (const [contestant, taken] of rounds) {
        const figures = await round(contestant, { count, answer });
        if (n > 0) taken.push(figures);
        const { perSecond, p50Ms, p99Ms, cpuMs } = figures;
        context.log(
          `${contestant.name}${n === 0 ? ' (warming up)' : ''}: ${perSecond.toFixed(0)}/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, ` +
            `processor ${(cpuMs.server ?? 0).toFixed(4)} ms each, the load's ${(cpuMs.load ?? 0).toFixed(4)}, the rest ${(cpuMs.rest ?? 0).toFixed(4)}`,
        );
      }
    }
    const [mine = [], theirs = []] = rounds.values();
    return rows(mine, theirs);
  } finally {
    provider.server.close();
    await Promise.all(contestants.map(({ process }) => process.stop()));
    await removeTraces(context, prefix);
  }
}

function rows(ours: Round[], theirs: Round[]): Row[] {
  const both = (figure: (round: Round) => number) => ({
    ours: median(ours.map(figure)),
    peers: { 'bare-constant': median(theirs.map(figure)) },
  });
  const rates = ours.map(({ perSecond }) => perSecond);
  const details = {
    loadCpuMs: median(ours.map(({ cpuMs }) => cpuMs.load ?? 0)),
    slowestRound: Math.min(...rates),
    fastestRound: Math.max(...rates),
  };
  const target = { atLeast: FLOOR, times: 'bare-constant' };
  return [
    row({ name: 'held', unit: 'keys/s', ...both(({ perSecond }) => perSecond), target, details }),
    row({ name: 'held-p50', unit: 'ms', ...both(({ p50Ms }) => p50Ms) }),
    row({ name: 'held-p99', unit: 'ms', ...both(({ p99Ms }) => p99Ms) }),
    row({ name: 'held-cpu', unit: 'ms of processor time each', ...both(({ cpuMs }) => cpuMs.server ?? 0) }),
  ];
}
