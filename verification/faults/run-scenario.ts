import { Random } from '../simulation/random.js';
import type { Infrastructure } from './infrastructure.js';
import { Load } from './load.js';
import { refereeOf } from './referee.js';
import type { Run } from './report.js';
import type { Scenario } from './scenario.js';
import { Stage } from './stage.js';
import { MERCHANT } from './surroundings.js';
import { readTraces } from './traces-reader.js';
import type { SentCommand } from './traces.js';

const ORDERS = 16;
const PER_SECOND = 2.5;
const SETTLE_MS = 60_000;

export interface FinishedRun extends Run {
  /** Crash points at which processes died. */
  diedAt: string[];
  /** Points at which nobody came by. */
  missed: string[];
  /** What stood against an end: settling took too long, or a service would not work again. */
  trouble?: string;
  seconds: number;
  lastLines: string[];
}

/** One scenario with its load, from empty topics to the referee's word. */
export async function runScenario(scenario: Scenario, seed: number, infrastructure: Infrastructure): Promise<FinishedRun> {
  const began = performance.now();
  const random = new Random(seed);
  const topicPrefix = `faults-${process.pid}-${seed}.`;
  const orderPrefix = `run${seed}-`;
  const stage = await Stage.open({ infrastructure, topicPrefix, orderPrefix, random });
  const { client, simulator } = stage;
  const { orders = ORDERS, perSecond = PER_SECOND } = scenario.load ?? {};
  const simulatorUrl = simulator.url;
  const load = new Load({ client, topicPrefix, simulatorUrl, orderPrefix, merchant: MERCHANT, random: loadsOwn(seed), orders, perSecond });
  let commands: SentCommand[] = [];
  let trouble: string | undefined;
  try {
    try {
      await scenario.run(stage, load);
      await load.settled(SETTLE_MS);
      commands = await load.stop();
    } catch (error) {
      // The referee sees what is missing; this says where it was missed.
      trouble = (error as Error).message;
      if (commands.length === 0) commands = await load.stop();
    }
    const verdict = refereeOf(await readTraces({ client, topicPrefix, simulatorUrl, orderPrefix, commands }));
    if (stage.crashed.length > 0) trouble = [...stage.crashed, ...(trouble === undefined ? [] : [trouble])].join('\n');
    const recoverySeconds = recoveryOf(stage.faultsEndedAtMs, load.arrivals);
    const diedAt = [...stage.diedAt];
    return {
      scenario: scenario.name,
      fault: scenario.fault,
      seed,
      commands: commands.length,
      kills: stage.kills,
      verdict,
      diedAt,
      missed: stage.missed,
      seconds: (performance.now() - began) / 1000,
      lastLines: stage.lastLines(12),
      ...(scenario.crashPoint !== undefined && stage.diedAt.has(scenario.crashPoint) ? { crashPoint: scenario.crashPoint } : {}),
      ...(recoverySeconds === undefined ? {} : { recoverySeconds }),
      ...(trouble === undefined ? {} : { trouble }),
    };
  } finally {
    await load.close();
    await stage.close();
  }
}

/** Scenario and load draw in no certain order: each from its own numbers. */
const loadsOwn = (seed: number) => new Random(seed + 2 ** 40);

/** The longest time from the end of a fault to the next result event, seconds: that of a kill ends when the next process is started. */
function recoveryOf(endedAtMs: readonly number[], arrivals: readonly { atMs: number }[]): number | undefined {
  const times = endedAtMs.flatMap((ended) => {
    const next = arrivals.find(({ atMs }) => atMs > ended);
    return next ? [(next.atMs - ended) / 1000] : [];
  });
  return times.length === 0 ? undefined : Math.max(...times);
}
