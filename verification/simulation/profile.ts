import type { RulesVersion } from '@tranche/order-journal';
import profiles from './profiles.json' with { type: 'json' };
import { Random } from './random.js';

/** Kinds of worlds, each with what fails in it. */
export type ProfileName = keyof typeof profiles;
export const PROFILES = Object.keys(profiles) as ProfileName[];

/** The newest writers of a world write this version. No value of the journal's library is imported here: it would be loaded before bugs are planted in it. */
export const NEWEST: RulesVersion = 2;
const OLDER: RulesVersion = 1;

const DAY_MS = 86_400_000;

type Troubles = ReturnType<typeof drawTroubles>;

/** The probabilities of faults in one world, and what is unusual in worlds of a kind. Each run draws them, so that calm and wild worlds both occur. */
export interface Profile extends Troubles {
  edges?: Edges;
  losses?: ReturnType<typeof drawLosses>;
  journalLoss?: JournalLossEdges;
  clocks?: Window & { byMs: number };
  moves?: Moves;
  cut?: Window;
  days?: ReturnType<typeof drawDays>['days'];
  /** From then on a record that can not be read is in a partition. */
  brokenAtMs?: number;
  joins?: ReturnType<typeof drawJoins>['joins'];
  staleViews?: ReturnType<typeof drawStaleViews>['staleViews'];
  settles?: ReturnType<typeof drawSettled>['settles'];
}

/** Some gateways are different for a while. */
export interface Window {
  gateways: readonly string[];
  fromMs: number;
  untilMs: number;
}

/** Releases side by side, each with a rules version of its own (R9), and unusual requests, answers and notifications. What is absent does not occur. */
export interface Edges {
  /** The rules version that each gateway writes at first, by gateway number; the newest one otherwise. */
  versions?: RulesVersion[];
  /** Upgrades and rollbacks: one gateway after the other restarts and writes this version; then the index is lost and rebuilt. */
  switches?: { atMs: number; version: RulesVersion }[];
  /** Share of orders whose first record is a notification of an external capture. */
  externalsFirst?: number;
  /** Share of untagged captures, refunds and voids that the back office also makes by hand at the same time. */
  backOffice?: number;
  /** Share of refunds with a reference that name the authorization. */
  refundOfAuthorization?: number;
  /** Share of successes with another amount than asked for. */
  otherAmount?: number;
  /** Milliseconds between two snapshots or deletions of an order's state by each process; absent: never. */
  keepsEveryMs?: number;
  /** Times at which retention deletes the beginning of the journal, as far as snapshots allow; the index is lost at the same time. */
  cutsAtMs?: number[];
  /** When the journal moves to another cluster, where offsets are others; all writers write the newest version then. */
  movesAtMs?: number;
  /** Times during which a gateway refuses every command, because its configuration differs from the others' (R13). */
  refusals?: Window[];
  waiting?: WaitingEdges;
}

export type WaitingEdges = ReturnType<typeof drawWaiting>;
export type Moves = ReturnType<typeof drawMoves>['moves'];

export interface Resumed {
  /** After how many of its steps each run is interrupted that comes before the whole one. */
  interruptedAfter: readonly number[];
  /** A second run follows the whole one. */
  isTwice: boolean;
}

/** The leader of a journal partition is lost, and the next one lacks its end, or everything (R11). */
export interface JournalLossEdges {
  atMs: number;
  /** At most this many of the records in the index are lost, with all later ones. */
  records: number;
  /** As many as that are lost, neither fewer nor more, and the partition is resumed in this way; otherwise both are drawn. */
  exactly?: Resumed;
  isRecreated: boolean;
}

const seldom = (random: Random, probability: number, most: number): number =>
  random.chance(probability) ? random.next() * most : 0;

export function drawProfile(random: Random, name: ProfileName = 'plain'): Profile {
  const profile: Profile = drawTroubles(random);
  if (name === 'rough') Object.assign(profile, drawRoughness(random));
  // A process then wakes up after an operator has closed the attempt that it was about to send.
  if (profile.operator && random.chance(0.4))
    Object.assign(profile, { pause: random.between(0.002, 0.02), pauseMs: 60_000 });
  Object.assign(profile, DRAWN[name]?.(random, profile));
  // Only a doubtful form can be superseded here, so doubts must be frequent.
  if (profile.edges?.waiting?.supersedesDoubts) profile.platformTrouble = Math.max(profile.platformTrouble, 0.5);
  return profile;
}

const DRAWN: Partial<Record<ProfileName, (random: Random, plain: Troubles) => Partial<Profile>>> = {
  edges: (random, plain) => ({ edges: drawEdges(random, plain) }),
  losses: (random) => ({ losses: drawLosses(random) }),
  clocks: drawClocks,
  anew: drawJournalLoss,
  moves: (random) => (random.chance(0.1) ? orderlyMoves() : drawMoves(random)),
  cut: drawCut,
  days: drawDays,
  joins: drawJoins,
  broken: (random, { pauseMs, troubleMs }) => ({
    pauseMs: Math.min(pauseMs, 3_000),
    operator: false,
    brokenAtMs: random.between(0.1, 0.9) * troubleMs,
  }),
  stale: drawStaleViews,
  settled: drawSettled,
};

function drawTroubles(random: Random) {
  return {
    processes: random.chance(0.3) ? 3 : 2,
    /** Milliseconds of a normal I/O. */
    quickMs: random.pick([1, 5, 20, 100]),
    /** Share of I/Os that take up to `slowMs`. */
    slow: seldom(random, 0.7, 0.15),
    slowMs: random.pick([300, 1500, 4000]),
    /** Per wake of a process: it is killed, or paused for about `pauseMs`. */
    crash: seldom(random, 0.6, 0.012),
    pause: seldom(random, 0.5, 0.008),
    pauseMs: random.pick([500, 3000, 12_000]),
    /** Per wake of a process: the group is rebalanced, the index is emptied, or it is restored from an older copy. */
    rebalance: seldom(random, 0.5, 0.008),
    flush: seldom(random, 0.25, 0.004),
    restore: seldom(random, 0.2, 0.004),
    /** Share of index reads that a replica answers from an older state. */
    staleRead: seldom(random, 0.4, 0.5),
    /** Share of appends and publishes that are rejected: they arrived, arrive later, or never. */
    appendLost: seldom(random, 0.5, 0.2),
    /** Share of appends that arrive twice. */
    appendTwice: seldom(random, 0.4, 0.15),
    /** Share of the platform's calls without a plain answer. */
    platformTrouble: seldom(random, 0.8, 0.7),
    /** The platform enforces its own limits; otherwise it executes everything, and the referee checks our limits. */
    isStrict: random.chance(0.35),
    notificationMissing: seldom(random, 0.5, 0.5),
    notificationTwice: seldom(random, 0.5, 0.5),
    /** Wall clocks differ by up to this many milliseconds, and jump. */
    clockSkewMs: random.chance(0.4) ? 600_000 : 20,
    clockJump: seldom(random, 0.2, 0.01),
    operator: random.chance(0.4),
    /** Milliseconds that the fault phase lasts. */
    troubleMs: random.between(5_000, 40_000),
  };
}

/** Every fault is off. */
export function calmProfile(): Profile {
  const off = Object.entries(drawTroubles(new Random(0))).map(([name, value]) => [
    name,
    typeof value === 'boolean' ? false : 0,
  ]);
  return { ...(Object.fromEntries(off) as Troubles), processes: 2, quickMs: 5, troubleMs: 10_000 };
}

/** With these values an answer can return to an ended assignment while the index lags (docs/guide/4-when-things-fail.md, faults found). */
function drawRoughness(random: Random): Partial<Profile> {
  return {
    slow: random.between(0.12, 0.15),
    slowMs: 4_000,
    rebalance: 0.012,
    flush: 0.006,
    restore: 0.006,
    crash: 0.003,
    troubleMs: 40_000,
  };
}

function drawEdges(random: Random, { processes, troubleMs }: Troubles): Edges {
  const isMoved = random.chance(0.3);
  const waiting = random.chance(0.5) ? drawWaiting(random) : undefined;
  const version = (): RulesVersion => (isMoved || random.chance(0.6) ? NEWEST : OLDER);
  const isMixed = !isMoved && random.chance(0.8);
  const first = version();
  const times = isMixed ? 1 + random.below(3) : 0;
  // These numbers are drawn apart, so that older seeds still give the same worlds.
  const apart = random.fork();
  const versions = Array.from({ length: processes }, () => (isMixed ? version() : first));
  const switches = Array.from({ length: times }, () => ({
    atMs: random.between(0.1, 0.9) * troubleMs,
    version: version(),
  }));
  const externalsFirst = versions[0] === NEWEST && apart.chance(0.4) ? 0.3 : 0;
  const byHand = apart.between(0.5, 1);
  return {
    ...{ versions, switches, externalsFirst, backOffice: apart.chance(0.4) ? byHand : 0 },
    refundOfAuthorization: random.chance(0.7) ? 0.6 : 0,
    otherAmount: random.chance(0.6) ? 0.3 : 0,
    ...drawKeeping(random, troubleMs),
    ...(isMoved ? { movesAtMs: random.between(0.3, 0.9) * troubleMs } : {}),
    ...(waiting && { waiting }),
    refusals: drawRefusals(random.fork(), processes, troubleMs),
  };
}

/** Waiting payments, doubtful forms, and unusual notifications (R15). */
function drawWaiting(random: Random) {
  return {
    /** Share of waiting payments that our timer ends, and share of those timers that fire early. */
    expiry: random.chance(0.7) ? 0.6 : 0,
    earlyTimer: 0.2,
    /** Share of waiting payments that the platform reports as "not executed". */
    saidNotExecuted: random.chance(0.5) ? 0.4 : 0,
    otherCurrency: random.chance(0.4) ? 0.2 : 0,
    /** Merchants allow that doubtful forms are superseded; method A answers with a form, or refuses. */
    supersedesDoubts: random.chance(0.6),
  };
}

function drawKeeping(random: Random, troubleMs: number): Pick<Edges, 'keepsEveryMs' | 'cutsAtMs'> {
  if (random.chance(0.3)) return {};
  const cutsAtMs = Array.from({ length: random.below(3) }, () => random.between(0.3, 1) * troubleMs);
  return { keepsEveryMs: random.between(300, 3_000), cutsAtMs };
}

/** A change of configuration and its rollback, one gateway after the other. */
function drawRefusals(random: Random, processes: number, troubleMs: number): Window[] {
  if (random.chance(0.6)) return [];
  return Array.from({ length: processes }, (_, number) => {
    const fromMs = random.between(0.1, 0.8) * troubleMs;
    return { gateways: [`gateway-${number}`], fromMs, untilMs: random.between(fromMs, 0.95 * troubleMs) };
  });
}

/** The index loses data. */
const drawLosses = (random: Random) => ({
  /** The index loses orders and keeps its marker, or loses a whole partition (R14). */
  evict: seldom(random, 0.8, 0.006),
  /** An order of the index becomes corrupt. */
  corrupt: seldom(random, 0.6, 0.004),
});

/** The date of one gateway is wrong by days for a while. Such a world has no other faults of clocks. */
function drawClocks(random: Random, { troubleMs }: Troubles): Partial<Profile> {
  const fromMs = random.chance(0.3) ? 0 : random.between(0, 0.5) * troubleMs;
  const byMs = random.between(-400, 400) * DAY_MS;
  return {
    clockSkewMs: 20,
    clockJump: 0,
    operator: false,
    clocks: { gateways: ['gateway-0'], fromMs, untilMs: random.between(0.6, 1) * troubleMs, byMs },
  };
}

/** A partition loses records that were already read. The index holds what is left of them, so such a world has no other faults of the index. */
function drawJournalLoss(random: Random, { troubleMs, pauseMs }: Troubles): Partial<Profile> {
  const journalLoss = { atMs: random.between(0.2, 0.9) * troubleMs, records: 6, isRecreated: random.chance(0.3) };
  return { flush: 0, restore: 0, staleRead: 0, operator: false, pauseMs: Math.min(pauseMs, 12_000), journalLoss };
}

/** Partitions change their owners all the time. A pause is longer than a session, so the process wakes up as an owner that was replaced. */
function drawMoves(random: Random) {
  return {
    processes: 3,
    quickMs: random.pick([5, 20, 100]),
    slow: seldom(random, 0.7, 0.2),
    crash: seldom(random, 0.6, 0.01),
    pause: seldom(random, 0.7, 0.006),
    pauseMs: random.pick([6_000, 12_000]),
    rebalance: seldom(random, 0.7, 0.01),
    flush: seldom(random, 0.4, 0.004),
    restore: seldom(random, 0.5, 0.008),
    appendLost: seldom(random, 0.6, 0.25),
    troubleMs: random.between(20_000, 40_000),
    moves: {
      /** Per wake of a process: its group's coordinator hears nothing from it for longer than a session, so another process owns its partitions beside it. */
      unheard: seldom(random, 0.7, 0.01),
      /** Per wake of a process: Redis is away for some seconds. */
      indexAway: seldom(random, 0.4, 0.002),
      /** Nothing else fails: no event may be published twice, and no operation may be in doubt. */
      isOrderly: false,
    },
  };
}

function orderlyMoves(): Profile {
  const moves = { unheard: 0, indexAway: 0, isOrderly: true };
  return { ...calmProfile(), processes: 3, rebalance: 0.02, troubleMs: 20_000, moves };
}

/**
 * Gateways cannot reach Redis for minutes, or for ever; another one can, or the cut ends. A pause of a minute of the only gateway that works would leave
 * too little time for rest.
 */
function drawCut(random: Random, { processes, troubleMs, pauseMs }: Troubles): Partial<Profile> {
  const isAll = random.chance(0.2);
  const gateways = Array.from({ length: isAll ? processes : 1 }, (_, number) => `gateway-${number}`);
  const fromMs = random.between(0.1, 0.9) * troubleMs;
  const lastsMs = isAll || random.chance(0.5) ? random.between(40_000, 120_000) : Infinity;
  return { pauseMs: Math.min(pauseMs, 12_000), cut: { gateways, fromMs, untilMs: fromMs + lastsMs } };
}

/**
 * All gateways stop for days while payments wait, and then read their notifications slowly. Other faults of clocks would move the timers, so such a
 * world has none.
 */
function drawDays(random: Random, { troubleMs, pauseMs }: Troubles) {
  const stopAtMs = random.between(0.3, 0.8) * troubleMs;
  const startAtMs = stopAtMs + random.between(1_000, 30_000);
  const passedMs = random.between(6, 7.9) * DAY_MS;
  const days = { stopAtMs, startAtMs, passedMs, slowMs: random.pick([100, 2_000, 10_000]) };
  return {
    ...{ clockSkewMs: 20, clockJump: 0, operator: false, pauseMs: Math.min(pauseMs, 12_000), days },
    troubleMs: startAtMs + random.between(5_000, 20_000),
  };
}

/**
 * The group is joined again and again, for ever, more often than an index is built, and the index is lost once. A doubt takes 6 s here. An index of eight
 * records is built for longer than from one join to the next.
 */
function drawJoins(random: Random) {
  const everyMs = random.chance(0.5) ? random.between(4_000, 5_500) : random.between(20_000, 25_000);
  const troubleMs = random.between(20_000, 40_000);
  const lostAtMs = random.between(0.6, 1) * troubleMs;
  return {
    ...{ flush: 0, restore: 0, rebalance: 0, operator: false, troubleMs, pauseMs: 3_000 },
    ...{ crash: seldom(random, 0.6, 0.004), slow: seldom(random, 0.7, 0.05), slowMs: 1_500 },
    joins: { everyMs, readMs: everyMs / 8, lostAtMs },
  };
}

/** People decide on what they saw earlier. There are many doubts, and about most of them a notification without a tag says something. Nobody else decides. */
function drawStaleViews(random: Random, { pauseMs }: Troubles) {
  return {
    ...{ operator: false, pauseMs: Math.min(pauseMs, 12_000) },
    ...{ platformTrouble: random.between(0.3, 0.8), notificationMissing: seldom(random, 0.5, 0.3) },
    edges: {},
    staleViews: {
      /** People look at a doubt at most this many milliseconds after it began. */
      withinMs: random.pick([500, 3_000, 15_000]),
      /** Share of looks at which the platform's books do not show yet what it executed. */
      lateBooks: random.between(0.3, 1),
    },
  };
}

/** People settle conflicts: many successes with another amount than asked for, other currencies, and false reports. */
function drawSettled(random: Random, { pauseMs }: Troubles) {
  const waiting = { expiry: seldom(random, 0.5, 0.5), earlyTimer: 0, saidNotExecuted: 0, otherCurrency: 0.1 };
  return {
    ...{ operator: false, pauseMs: Math.min(pauseMs, 12_000), troubleMs: random.between(10_000, 40_000) },
    edges: { otherAmount: random.between(0.3, 0.9), waiting: { ...waiting, supersedesDoubts: false } },
    settles: {
      /** People look at a conflict at most this many milliseconds after it began. */
      withinMs: random.pick([100, 1_000, 6_000]),
      /** Shares of conflicts of which money is given back, and of statements by one person alone. */
      repairs: random.between(0.2, 0.9),
      alone: 0.2,
      /** Share of successful payments of which the platform says later that they were refused. */
      falseReports: random.between(0, 0.6),
    },
  };
}
