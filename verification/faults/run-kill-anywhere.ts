import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '@tranche/testing';
import { columns } from '../figures.js';
import type { Given } from '../seed.js';
import { Infrastructure, type CommandLines } from './infrastructure.js';
import type { Load } from './load.js';
import { faultsOf, runScenario } from './run-scenario.js';
import type { Scenario } from './scenario.js';
import type { Stage } from './stage.js';
import type { Traces } from './traces.js';

const PLATFORM = { latencyMs: '100-500', timeoutMs: '5000', graceMs: '3000' };
/** Seconds. A gateway has caught up when fewer commands are open than arrive in this time. */
const CAUGHT_UP_SECONDS = 1.5;
const CAUGHT_UP_WITHIN_MS = 30_000;

interface Steady {
  minutes: number;
  perSecond: number;
}

/** Kills a gateway at random moments of a steady load. Resolves to the exit code. */
export async function runKillAnywhere(options: Given & Steady, lines: CommandLines): Promise<number> {
  const { minutes, perSecond, seed, json } = options;
  const infrastructure = new Infrastructure(lines);
  let killedAtMs: number[] = [];
  let underWay = 0;
  const scenario: Scenario = {
    ...{ name: 'kill-anywhere', fault: 'SIGKILL at any moment' },
    load: { orders: Math.round(minutes * 60 * perSecond), perSecond, stories: ['left-alone'] },
    settings: () => ({
      simulator: { LATENCY_MS: PLATFORM.latencyMs },
      gateway: { PLATFORM_TIMEOUT_MS: PLATFORM.timeoutMs, DOUBT_GRACE_MS: PLATFORM.graceMs },
    }),
    run: async (stage, load) => void (killedAtMs = await killed(stage, load, { minutes, perSecond })),
    afterwards(_stage, traces) {
      underWay = underWayAt(killedAtMs, traces);
      return Promise.resolve([]);
    },
  };
  try {
    await infrastructure.start();
    const run = await runScenario(scenario, seed, infrastructure);
    const { commands, verdict } = run;
    const { inDoubt, falseDoubt } = verdict;
    const [kills, violations] = [killedAtMs.length, faultsOf(run)];
    const report = {
      ...{ seed, minutes, perSecond, commands, kills, underWay, inDoubt, falseDoubt },
      doubtsPerKill: rounded(inDoubt / Math.max(1, kills)),
      falseDoubtShare: rounded(falseDoubt / Math.max(1, underWay)),
    };
    console.error(columns(Object.entries(report)));
    for (const violation of violations) console.error(violation);
    if (json) console.log(JSON.stringify({ ...report, violations }));
    // Nothing is shown where nothing was killed.
    return violations.length === 0 && kills > 0 ? 0 : 1;
  } finally {
    await infrastructure.stop();
  }
}

/** Kills gateways until the load ends. Each is killed at a random moment after it has caught up; the next one is started at once. */
async function killed(stage: Stage, load: Load, { minutes, perSecond }: Steady): Promise<number[]> {
  const at: number[] = [];
  let gateway = await stage.readyGateway();
  load.start();
  const endsMs = performance.now() + minutes * 60_000;
  for (;;) {
    await caughtUp(load, perSecond * CAUGHT_UP_SECONDS);
    await delay(stage.random.between(500, 3_000));
    if (performance.now() >= endsMs) return at;
    at.push(Date.now());
    await stage.kill(gateway);
    const leftSeconds = Math.max(0, Math.round((endsMs - performance.now()) / 1000));
    console.error(
      `${at.length} kills, ${load.commands.length} commands, ${load.arrivals.length} results, ${leftSeconds} s to go`,
    );
    gateway = await stage.readyGateway();
  }
}

/**
 * Waits until the backlog is worked off: it would make a kill hit more attempts than a steady load does. A machine that is too slow for
 * that gets its kill anyway.
 */
async function caughtUp(load: Load, openAtMost: number): Promise<void> {
  const before = load.arrivals.length;
  const isSteady = () => load.arrivals.length > before && load.commands.length - answered(load) < openAtMost;
  await waitFor(isSteady, { timeoutMs: CAUGHT_UP_WITHIN_MS, pollMs: 100, what: 'a steady load' }).catch(() => {
    const left = load.commands.length - answered(load);
    console.error(
      `${left} commands are still open after ${CAUGHT_UP_WITHIN_MS / 1000} s: the kill comes before they are worked off`,
    );
  });
}

const answered = ({ arrivals }: Load): number => new Set(arrivals.map(({ orderId }) => orderId)).size;

/** Counts attempts whose INTENT is older than a kill and that were not closed by then, summed over all kills. */
export function underWayAt(killedAtMs: readonly number[], { journal }: Pick<Traces, 'journal'>): number {
  const intents = new Map<string, { madeMs: number; closedMs: number }>();
  for (const { record } of journal) {
    if (!('token' in record)) continue;
    const known = intents.get(record.token);
    const atMs = Date.parse(record.at);
    if (known === undefined) intents.set(record.token, { madeMs: atMs, closedMs: Infinity });
    else if (record.record !== 'INTENT') known.closedMs = Math.min(known.closedMs, atMs);
  }
  const isUnderWay = (atMs: number) =>
    [...intents.values()].filter(({ madeMs, closedMs }) => madeMs <= atMs && closedMs > atMs).length;
  return killedAtMs.reduce((sum, atMs) => sum + isUnderWay(atMs), 0);
}

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;
