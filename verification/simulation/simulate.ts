import { RULES, RULES_VERSION } from '@tranche/order-journal';
import { FaultInjector } from './faults.js';
import { finalCheck } from './final-check.js';
import { Fleet, type Run } from './fleet.js';
import { BrokenRecord, JournalLoss } from './journal-faults.js';
import { lookAfter, operate, OPERATOR_MS, resolveDoubts, settleConflicts } from './operators.js';
import { playBackOffice, playCardholders } from './people.js';
import { SimulatedProcess, type Environment } from './process.js';
import { calmProfile, drawProfile, NEWEST, type Profile, type ProfileName } from './profile.js';
import { Random } from './random.js';
import { Scheduler } from './scheduler.js';
import type { Violation } from './violations.js';
import { World } from './world.js';

// Readers meet both versions, and the higher one of an order's records holds (R9).
RULES.versions = [RULES_VERSION, NEWEST];

/** Milliseconds within which everything must come to rest after the faults. */
const SETTLE_MS = 240_000;
const REST_LOOK_MS = 1_000;

/** Figures of one world, or sums over several. */
export interface RunCounts {
  operations: number;
  crashes: number;
  pauses: number;
  rebalances: number;
  flushes: number;
  inDoubt: number;
  falseDoubt: number;
}

interface RunResult extends RunCounts {
  violations: Violation[];
  /** The same for the same seed, on every machine. */
  hash: number;
  steps: number;
  world: World;
}

export interface RunOptions {
  seed: number;
  isCalm?: boolean;
  /** The name of a kind of world ('plain'), or the world itself. */
  profile?: ProfileName | Profile;
  trace?: (line: string) => void;
  /** Ends the run after its first violation. */
  stopsAtFirst?: boolean;
}

/** Plays one world from its seed: commands, faults, rest, and a last comparison. */
export async function simulate({
  seed,
  isCalm = false,
  profile: given,
  trace,
  stopsAtFirst = false,
}: RunOptions): Promise<RunResult> {
  const random = new Random(seed);
  const profile = typeof given === 'object' ? given : isCalm ? calmProfile() : drawProfile(random, given);
  let isTroubled = !isCalm;
  const scheduler = new Scheduler({
    beforeRun: (owner, label) => {
      if (isTroubled && owner instanceof SimulatedProcess) faults.inject(owner, label);
    },
    ...(trace ? { trace: (atMs, label) => trace(`${atMs.toFixed(1).padStart(9)}  ${label}`) } : {}),
  });
  const env: Environment = {
    ...{ scheduler, random, profile, byWrongClock: [], stoppedMs: 0 },
    isTroubled: () => isTroubled,
    note: (what) => trace?.(`${' '.repeat(11)}  ${what}`),
  };
  const world = new World(env);
  const { referee, journal } = world;
  playCardholders(world);
  playBackOffice(world);
  if (profile.staleViews) resolveDoubts(world, profile.staleViews);
  if (profile.settles) settleConflicts(world, profile.settles);
  if (trace)
    journal.onLanded(({ offset, partition, record }) => trace(`  ${partition}/${offset} ${JSON.stringify(record)}`));
  const fleet = new Fleet(world);
  const faults = new FaultInjector(fleet);

  world.start();
  const damages = [
    ...(profile.journalLoss ? [new JournalLoss(fleet, profile.journalLoss)] : []),
    ...(profile.brokenAtMs === undefined ? [] : [new BrokenRecord(fleet, profile.brokenAtMs)]),
  ];
  faults.schedule();
  for (let n = 0; n < profile.processes; n++)
    scheduler.after(random.between(0, 200), `gateway-${n} starts`, () => fleet.start(`gateway-${n}`));
  if (profile.edges?.waiting)
    for (const share of [0.5, 0.9])
      scheduler.after(profile.troubleMs * share, 'payments that wait are looked after', () => lookAfter(world));
  if (profile.operator)
    for (const share of [0.3, 0.6, 1])
      scheduler.after(profile.troubleMs * share + OPERATOR_MS, 'an operator looks', () => operate(world));

  const isEnough = () => stopsAtFirst && referee.violations.length > 0;
  const run: Run = (isDone) => scheduler.run(() => isEnough() || isDone());
  await run(() => scheduler.nowMs >= profile.troubleMs);
  isTroubled = false;
  if (profile.losses !== undefined) world.index.readEverything();
  for (const damage of damages) if (!isEnough()) await damage.repair(run);
  const restUntilMs = (damages.length > 0 ? scheduler.nowMs : profile.troubleMs) + SETTLE_MS;
  let restLookMs = scheduler.nowMs;
  let rests = 0;
  await run(() => {
    if (scheduler.nowMs > restUntilMs) return true;
    if (scheduler.nowMs < restLookMs) return false;
    restLookMs = scheduler.nowMs + REST_LOOK_MS;
    // A paused process may still write when it wakes up.
    const isAwake = [...fleet.running.keys()].every(({ pausedUntilMs }) => pausedUntilMs <= scheduler.nowMs);
    rests = isAwake && world.isAtRest ? rests + 1 : 0;
    return rests >= 2;
  });
  if (!isEnough() && rests < 2) {
    referee.report('lost', `no rest within ${SETTLE_MS / 1000} s after the faults`);
    for (const what of world.unfinished()) referee.report('lost', what);
  }
  for (const what of env.byWrongClock) referee.report('wrongClock', what);
  if (!isEnough() && profile.moves?.isOrderly) referee.judgeOrderlyMoves();
  const seen = isEnough() ? { operations: 0, inDoubt: 0, falseDoubt: 0 } : finalCheck(referee, world);
  return {
    ...seen,
    ...faults.counts,
    rebalances: world.gatewayGroup.rebalances + world.notificationGroup.rebalances,
    violations: referee.violations,
    hash: scheduler.hash,
    steps: scheduler.steps,
    world,
  };
}
