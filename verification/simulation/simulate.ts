import { RULES, RULES_VERSION, type RulesVersion } from '@tranche/order-journal';
import { BrokenRecord } from './broken-record.js';
import { SimulatedGateway } from './gateway.js';
import { JournalLoss } from './journal-loss.js';
import { finalCheck } from './final-check.js';
import { lookAfter, operate, OPERATOR_MS, resolveDoubts, settleConflicts } from './operators.js';
import { playBackOffice, playCardholders } from './people.js';
import { SimulatedProcess, type Surroundings } from './process.js';
import { calmProfile, drawProfile, NEWEST, type Moves, type Profile, type ProfileName } from './profile.js';
import { Random } from './random.js';
import { Scheduler, type Sleeper } from './scheduler.js';
import { isBug, type Violation } from './violations.js';
import { World } from './world.js';

// Readers meet both versions, and the higher one of an order's records holds (R9).
RULES.versions = [RULES_VERSION, NEWEST];

/** Milliseconds within which everything must come to rest after the faults. */
const SETTLE_MS = 240_000;
const REST_LOOK_MS = 1_000;

/** Kills and pauses are most harmful around INTENT, call, OUTCOME, events, index and commit. */
const CRITICAL = /INTENT|connect|POST|OUTCOME|publish events|index write|commit/;
const CRITICAL_TIMES = 4;

/** A world at rest does not wait for what never ends. */
const FOR_EVER: Sleeper = { isAlive: true, pausedUntilMs: 0 };

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
  const counts = { crashes: 0, pauses: 0, flushes: 0 };
  let isTroubled = !isCalm;
  const scheduler = new Scheduler({
    strike: (owner, label) => strike(owner as SimulatedProcess, CRITICAL.test(label) ? CRITICAL_TIMES : 1),
    ...(trace ? { trace: (atMs, label) => trace(`${atMs.toFixed(1).padStart(9)}  ${label}`) } : {}),
  });
  const note = (what: string) => trace?.(`${' '.repeat(11)}  ${what}`);
  const byWrongClock: string[] = [];
  const around: Surroundings = { scheduler, random, profile, isTroubled: () => isTroubled, byWrongClock, stoppedMs: 0 };
  const world = new World(around);
  playCardholders(world);
  playBackOffice(world);
  if (profile.staleViews) resolveDoubts(world, profile.staleViews);
  if (profile.settles) settleConflicts(world, profile.settles);
  if (trace)
    world.journal.onLanded(({ offset, partition, record }) =>
      trace(`  ${partition}/${offset} ${JSON.stringify(record)}`),
    );
  const versions = new Map(profile.edges?.versions?.map((version, n) => [`gateway-${n}`, version]));
  let lives = 0;
  let areStopped = false;
  const living = new Map<SimulatedProcess, SimulatedGateway>();

  const startLater = (name: string) =>
    scheduler.after(random.between(100, 2_000), `${name} starts again`, () => give(name));
  const give = (name: string) => {
    if (loss?.isStopped || broken?.isStopped || areStopped) return void startLater(name);
    const process = new SimulatedProcess(`${name}.${++lives}`, around);
    const gateway = new SimulatedGateway(process, world, versions.get(name) ?? NEWEST);
    living.set(process, gateway);
    gateway.start().catch((error: unknown) => {
      if (!process.isAlive) return;
      if (isBug(error)) world.threw(error);
      // A service that cannot start ends and is restarted.
      kill(process);
    });
  };
  const kill = (process: SimulatedProcess) => {
    note(`${process.name} dies`);
    process.isAlive = false;
    living.delete(process);
    startLater(process.name.split('.')[0]!);
  };

  const { journalLoss, brokenAtMs } = profile;
  const running = { world, around, living, kill, trace: (line: string) => trace?.(line) };
  const loss = journalLoss && new JournalLoss({ ...running, edges: journalLoss });
  const broken = brokenAtMs === undefined ? undefined : new BrokenRecord({ ...running, atMs: brokenAtMs });

  function strike(process: SimulatedProcess, times: number): void {
    if (!isTroubled || !(process instanceof SimulatedProcess)) return;
    const { index, gatewayGroup, notificationGroup } = world;
    if (random.chance(profile.crash * times)) {
      counts.crashes++;
      kill(process);
    } else if (random.chance(profile.pause * times)) {
      counts.pauses++;
      process.pausedUntilMs = scheduler.nowMs + random.between(0.5, 1.5) * profile.pauseMs;
      note(`${process.name} stands still until ${process.pausedUntilMs.toFixed(0)}`);
    }
    if (random.chance(profile.rebalance)) random.pick([gatewayGroup, gatewayGroup, notificationGroup]).rebalance();
    if (random.chance(profile.flush)) {
      counts.flushes++;
      note(`the index is flushed`);
      index.flush();
    }
    if (random.chance(profile.restore)) {
      note(`the index goes back`);
      index.restoreOlder();
    }
    if (profile.losses !== undefined) lose(profile.losses);
    if (profile.moves !== undefined) disturb(process, profile.moves);
    if (random.chance(profile.clockJump))
      process.wallOffsetMs += random.between(-1, 1) * random.pick([1_500, 864_000_000]);
  }

  const disturb = (process: SimulatedProcess, { unheard, indexAway }: Moves) => {
    if (random.chance(unheard)) {
      process.unheardUntilMs = scheduler.nowMs + random.between(6_000, 20_000);
      note(`no coordinator hears ${process.name} until ${process.unheardUntilMs.toFixed(0)}`);
    }
    if (random.chance(indexAway)) {
      world.index.awayUntilMs = scheduler.nowMs + random.between(500, 8_000);
      note(`Redis is away until ${world.index.awayUntilMs.toFixed(0)}`);
    }
  };

  const lose = ({ evict, corrupt }: NonNullable<Profile['losses']>) => {
    const { index } = world;
    if (random.chance(evict)) {
      note(`the index loses orders`);
      index.evict();
    }
    if (random.chance(corrupt)) {
      note(`an order of the index is corrupt`);
      index.corrupt();
    }
  };

  /** One gateway after the other restarts with another version; then the index is lost. */
  const roll = (version: RulesVersion) => {
    let atMs = 0;
    for (const name of versions.keys()) {
      scheduler.after(atMs, `${name} is to write version ${version}`, () => {
        versions.set(name, version);
        for (const process of [...living.keys()].filter((one) => one.name.startsWith(`${name}.`))) kill(process);
      });
      atMs += random.between(0, 3_000);
    }
    scheduler.after(atMs, 'the index is lost after the roll-out', () => {
      counts.flushes++;
      world.index.flush();
    });
  };

  /** Every gateway stops and restarts with the journal of the other cluster. */
  const move = () => {
    for (const process of [...living.keys()]) kill(process);
    world.move(BigInt(random.pick([0, 5, 1_000])));
  };

  /** All gateways stop; some seconds of the platform later, more than a week has passed. */
  const stopFor = ({ stopAtMs, startAtMs, passedMs }: NonNullable<Profile['days']>) => {
    scheduler.after(stopAtMs, 'all gateways stop', () => {
      areStopped = true;
      for (const process of [...living.keys()]) kill(process);
    });
    scheduler.after(startAtMs, 'days later, the gateways may start', () => {
      around.stoppedMs = passedMs;
      areStopped = false;
    });
  };

  const disturbJoins = ({ everyMs, lostAtMs }: NonNullable<Profile['joins']>) => {
    const joinAgain = () => {
      world.gatewayGroup.rebalance();
      scheduler.after(everyMs, 'the group is joined again', joinAgain, FOR_EVER);
    };
    scheduler.after(everyMs, 'the group is joined again', joinAgain, FOR_EVER);
    scheduler.after(lostAtMs, 'the index is lost', () => {
      counts.flushes++;
      world.index.flush();
    });
  };

  world.start();
  loss?.start();
  if (profile.days) stopFor(profile.days);
  broken?.start();
  const { cutsAtMs = [], movesAtMs } = profile.edges ?? {};
  for (const atMs of cutsAtMs)
    scheduler.after(atMs, 'retention deletes the beginning of the journal', () => {
      counts.flushes++;
      world.cut();
    });
  if (profile.joins !== undefined) disturbJoins(profile.joins);
  if (movesAtMs !== undefined) scheduler.after(movesAtMs, 'the journal moves', move);
  for (const { atMs, version } of profile.edges?.switches ?? [])
    scheduler.after(atMs, 'a roll-out begins', () => roll(version));
  for (let n = 0; n < profile.processes; n++)
    scheduler.after(random.between(0, 200), `gateway-${n} starts`, () => give(`gateway-${n}`));
  if (profile.edges?.waiting)
    for (const share of [0.5, 0.9])
      scheduler.after(profile.troubleMs * share, 'payments that wait are looked after', () => lookAfter(world));
  if (profile.operator)
    for (const share of [0.3, 0.6, 1])
      scheduler.after(profile.troubleMs * share + OPERATOR_MS, 'an operator looks', () => operate(world));
  const isEnough = () => stopsAtFirst && world.referee.violations.length > 0;

  await scheduler.run(() => scheduler.nowMs >= profile.troubleMs || isEnough());
  isTroubled = false;
  if (profile.losses !== undefined) world.index.readEverything();
  const run = (isDone: () => boolean) => scheduler.run(() => isDone() || isEnough());
  if (!isEnough()) await loss?.resume(run);
  if (!isEnough()) await broken?.heal(run);
  const restUntilMs = ((loss ?? broken) ? scheduler.nowMs : profile.troubleMs) + SETTLE_MS;
  let restLookMs = scheduler.nowMs;
  let rests = 0;
  await scheduler.run(() => {
    if (isEnough() || scheduler.nowMs > restUntilMs) return true;
    if (scheduler.nowMs < restLookMs) return false;
    restLookMs = scheduler.nowMs + REST_LOOK_MS;
    // A paused process may still write when it wakes up.
    const isAwake = [...living.keys()].every(({ pausedUntilMs }) => pausedUntilMs <= scheduler.nowMs);
    rests = isAwake && world.isAtRest ? rests + 1 : 0;
    return rests >= 2;
  });
  const { referee } = world;
  const missing = world.missingEvidence();
  if (!isEnough() && missing.length > 0)
    referee.report('lost', `notifications ${missing.join(', ')} became no evidence`);
  if (!isEnough() && rests < 2) referee.report('lost', `no rest within ${SETTLE_MS / 1000} s after the faults`);
  for (const what of byWrongClock) referee.report('wrongClock', what);
  if (!isEnough() && profile.moves?.isOrderly) referee.judgeOrderlyMoves();
  const seen = isEnough() ? { operations: 0, inDoubt: 0, falseDoubt: 0 } : finalCheck(referee, world);
  return {
    ...seen,
    ...counts,
    rebalances: world.gatewayGroup.rebalances + world.notificationGroup.rebalances,
    violations: referee.violations,
    hash: scheduler.hash,
    steps: scheduler.steps,
    world,
  };
}
