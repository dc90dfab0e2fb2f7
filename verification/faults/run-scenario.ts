import { setTimeout as delay } from 'node:timers/promises';
import { Random } from '../simulation/random.js';
import type { Infrastructure } from './infrastructure.js';
import { Load } from './load.js';
import { refereeOf } from './referee.js';
import type { Run } from './report.js';
import type { Scenario } from './scenario.js';
import { Stage } from './stage.js';
import { readTraces } from './traces-reader.js';
import { STORY_NAMES } from './stories.js';

const ORDERS = 16;
const PER_SECOND = 2.5;
const SETTLE_MS = 180_000;
/** Beside its load, a normal run takes half a minute, so one that takes this long will not end. */
const RUN_MS = 600_000;
const CLOSE_MS = 30_000;

export interface FinishedRun extends Run {
  /** Points that no process passed in time. */
  missed: string[];
  /** The reason why the run did not end well: settling took too long, or a service did not recover. */
  trouble?: string;
  /** False if the referee could not run. */
  wasJudged: boolean;
  seconds: number;
  lastLines: string[];
}

/** Violations that the referee found, and why the run did not end well. */
export const faultsOf = ({ verdict, trouble }: FinishedRun): string[] => [
  ...verdict.violations.map(({ kind, detail }) => `${kind}: ${detail}`),
  ...(trouble === undefined ? [] : [trouble]),
];

type Judged = Omit<FinishedRun, 'scenario' | 'fault' | 'seed' | 'seconds'>;

/** Plays one scenario with its load on empty topics and asks the referee. A run that cannot be judged fails; `trouble` says why. */
export async function runScenario(
  scenario: Scenario,
  seed: number,
  infrastructure: Infrastructure,
): Promise<FinishedRun> {
  const began = performance.now();
  const run: FinishedRun = {
    ...{ scenario: scenario.name, fault: scenario.fault, seed, commands: 0, kills: 0, missed: [], lastLines: [] },
    verdict: { violations: [], inDoubt: 0, resolved: 0, falseDoubt: 0, publishedTwice: 0, operations: 0 },
    ...{ wasJudged: false, seconds: 0 },
  };
  try {
    Object.assign(run, await judged(scenario, seed, infrastructure));
  } catch (error) {
    run.trouble = `the run could not be judged: ${(error as Error).message}\n${infrastructure.state}`;
  }
  return { ...run, seconds: (performance.now() - began) / 1000 };
}

async function judged(scenario: Scenario, seed: number, infrastructure: Infrastructure): Promise<Judged> {
  const topicPrefix = `faults-${process.pid}-${seed}.`;
  const orderPrefix = `run${seed}-`;
  const stage = await Stage.open({
    ...{ infrastructure, topicPrefix, orderPrefix, random: new Random(seed) },
    ...(scenario.settings && { settings: scenario.settings(infrastructure.folder) }),
  });
  const { client, simulator } = stage;
  const { orders = ORDERS, perSecond = PER_SECOND, stories = STORY_NAMES } = scenario.load ?? {};
  const traced = { client, topicPrefix, simulatorUrl: simulator.url, orderPrefix };
  const load = new Load({ ...traced, random: loadsOwn(seed), orders, perSecond, stories });
  const play = async (): Promise<Judged> => {
    const troubles: string[] = [];
    try {
      await scenario.run(stage, load);
      await load.settled(SETTLE_MS);
    } catch (error) {
      // The referee finds missing traces, and this message says where the run waited.
      troubles.push((error as Error).message);
    }
    const commands = await load.stop();
    const traces = await readTraces({ ...traced, commands });
    const verdict = refereeOf(traces);
    verdict.violations.push(...((await scenario.afterwards?.(stage, traces)) ?? []));
    troubles.unshift(...stage.crashed);
    const recoverySeconds = recoveryOf(stage.faultsEndedAtMs, load.arrivals);
    const { crashPoint } = scenario;
    return {
      commands: commands.length,
      kills: stage.kills,
      verdict,
      missed: stage.missed,
      wasJudged: true,
      lastLines: stage.lastLines(12),
      pauseSeconds: largestPause(load),
      ...(crashPoint !== undefined && stage.diedAt.has(crashPoint) && { crashPoint }),
      ...(recoverySeconds !== undefined && { recoverySeconds }),
      ...(troubles.length > 0 && { trouble: troubles.join('\n') }),
    };
  };
  try {
    return await within(RUN_MS + (orders / perSecond) * 1_000, play());
  } finally {
    await stage.close();
    await within(CLOSE_MS, load.close());
  }
}

/** @throws when the time is over; the awaited work may continue */
function within<T>(ms: number, awaited: Promise<T>): Promise<T> {
  const limit = delay(ms, undefined, { ref: false }).then(() => {
    throw new Error(`not ended after ${ms / 1000} s`);
  });
  return Promise.race([awaited, limit]);
}

/** Scenario and load draw concurrently, so each needs its own random numbers. */
const loadsOwn = (seed: number) => new Random(seed + 2 ** 40);

/** Returns the longest pause between result events while orders began. */
function largestPause({ arrivals, commands, orders }: Load): number {
  const beganMs = commands[0]?.sentAtMs ?? 0;
  const endedMs = beganMs + (orders.at(-1)?.atMs ?? 0);
  const times = [beganMs, ...arrivals.map(({ atMs }) => atMs)].filter((atMs) => atMs <= endedMs);
  const pauses = [...times, endedMs].map((atMs, at, all) => atMs - (all[at - 1] ?? atMs));
  return Math.round(Math.max(0, ...pauses)) / 1000;
}

/** Returns the longest time from the end of a fault to the next result event, in seconds. A kill ends when the next process is started. */
function recoveryOf(endedAtMs: readonly number[], arrivals: readonly { atMs: number }[]): number | undefined {
  const times = endedAtMs.flatMap((ended) => {
    const next = arrivals.find(({ atMs }) => atMs > ended);
    return next ? [(next.atMs - ended) / 1000] : [];
  });
  return times.length === 0 ? undefined : Math.max(...times);
}
