import type { RulesVersion } from '@tranche/order-journal';
import profiles from './profiles.json' with { type: 'json' };
import type { Random } from './random.js';

/** The probabilities of faults in one world. Each run draws them anew, so that calm and wild worlds both occur. */
export interface Profile {
  processes: number;
  /** Milliseconds of a normal I/O. */
  quickMs: number;
  /** Share of I/Os that take up to `slowMs`. */
  slow: number;
  slowMs: number;
  /** Per wake of a process: it is killed, or paused for about `pauseMs`. */
  crash: number;
  pause: number;
  pauseMs: number;
  /** Per wake of a process: the group is rebalanced, the index is emptied, or it is restored from an older copy. */
  rebalance: number;
  flush: number;
  restore: number;
  /** Share of index reads that a replica answers from an older state. */
  staleRead: number;
  /** Share of appends and publishes that are rejected: they arrived, arrive later, or never. */
  appendLost: number;
  /** Share of appends that arrive twice. */
  appendTwice: number;
  /** Share of the platform's calls without a plain answer. */
  platformTrouble: number;
  /** The platform enforces its own limits; otherwise it executes everything, and the referee checks our limits. */
  isStrict: boolean;
  notificationMissing: number;
  notificationTwice: number;
  /** Wall clocks differ by up to this many milliseconds, and jump. */
  clockSkewMs: number;
  clockJump: number;
  operator: boolean;
  /** Milliseconds that the fault phase lasts. */
  troubleMs: number;
  /** Worlds with two releases. Without it, all gateways write the newest rules version. */
  edges?: Edges;
  /** Worlds in which the index loses data. */
  losses?: Losses;
  /** Worlds in which a journal partition loses records that were already read. */
  journalLoss?: JournalLossEdges;
  /** Worlds in which the date of one gateway is wrong by days for a while. */
  clocks?: { gateway: string; fromMs: number; untilMs: number; byMs: number };
  /** Worlds in which partitions change their owners all the time. */
  moves?: Moves;
  /** Worlds in which gateways cannot reach Redis for minutes, or for ever; another one can, or the cut ends. */
  cut?: { gateways: readonly string[]; fromMs: number; untilMs: number };
  /** Worlds in which all gateways stop for days while payments wait, and then read their notifications slowly. */
  days?: { stopAtMs: number; startAtMs: number; passedMs: number; slowMs: number };
  /** Worlds in which a record that can not be read is in a partition from then on. */
  brokenAtMs?: number;
  /** Worlds in which the group is joined again and again, for ever, more often than an index is built, and the index is lost once. */
  joins?: { everyMs: number; readMs: number; lostAtMs: number };
  /** Worlds in which people decide on what they saw earlier. */
  staleViews?: StaleViews;
  /** Worlds in which people settle conflicts. */
  settles?: Settles;
}

export interface Settles {
  /** People look at a conflict at most this many milliseconds after it began. */
  withinMs: number;
  /** Shares of conflicts of which money is given back, and of statements by one person alone. */
  repairs: number;
  alone: number;
  /** Share of successful payments of which the platform says later that they were refused. */
  falseReports: number;
}

export interface StaleViews {
  /** People look at a doubt at most this many milliseconds after it began. */
  withinMs: number;
  /** Share of looks at which the platform's books do not show yet what it executed. */
  lateBooks: number;
}

/** Per wake of a process. */
export interface Moves {
  /** Its group's coordinator hears nothing from it for longer than a session: another process owns its partitions beside it. */
  unheard: number;
  /** Redis is away for some seconds. */
  indexAway: number;
  /** Nothing else fails: no event may be published twice, and no operation may be in doubt. */
  isOrderly: boolean;
}

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

export interface Losses {
  /** The index loses orders and keeps its marker, or loses a whole partition (R14). */
  evict: number;
  /** An order of the index becomes corrupt. */
  corrupt: number;
}

/** Two releases side by side, each with a rules version of its own (R9). */
export interface Edges {
  /** The rules version that each gateway writes at first, by gateway number. */
  versions: RulesVersion[];
  /** Upgrades and rollbacks: one gateway after the other restarts and writes this version; then the index is lost and rebuilt. */
  switches: { atMs: number; version: RulesVersion }[];
  /** Share of orders whose first record is a notification of an external capture. */
  externalsFirst: number;
  /** Share of untagged captures, refunds and voids that the back office also makes by hand at the same time. */
  backOffice: number;
  /** Share of refunds with a reference that name the authorization. */
  refundOfAuthorization: number;
  /** Share of successes with another amount than asked for. */
  otherAmount: number;
  /** Milliseconds between two snapshots or deletions of an order's state by each process; absent: never. */
  keepsEveryMs?: number;
  /** Times at which retention deletes the beginning of the journal, as far as snapshots allow; the index is lost at the same time. */
  cutsAtMs: number[];
  /** When the journal moves to another cluster, where offsets are others; all writers write the newest version then. */
  movesAtMs?: number;
  /** Times during which a gateway refuses every command, because its configuration differs from the others' (R13). */
  refusals: { gateway: string; fromMs: number; untilMs: number }[];
  waiting?: WaitingEdges;
}

/** Waiting payments, doubtful forms, and unusual notifications (R15). */
export interface WaitingEdges {
  /** Share of waiting payments that our timer ends, and share of those timers that fire early. */
  expiry: number;
  earlyTimer: number;
  /** Share of waiting payments that the platform reports as "not executed". */
  saidNotExecuted: number;
  otherCurrency: number;
  /** Merchants allow that doubtful forms are superseded; method A answers with a form, or refuses. */
  supersedesDoubts: boolean;
}

const seldom = (random: Random, probability: number, most: number): number =>
  random.chance(probability) ? random.next() * most : 0;

/** Kinds of worlds, each with what fails in it. */
export type ProfileName = keyof typeof profiles;
export const PROFILES = Object.keys(profiles) as ProfileName[];

export function drawProfile(random: Random, name: ProfileName = 'plain'): Profile {
  const profile = drawTroubles(random);
  if (name === 'rough') Object.assign(profile, drawRoughness(random));
  // A process then wakes up after an operator has closed the attempt that it was about to send.
  if (profile.operator && random.chance(0.4))
    Object.assign(profile, { pause: random.between(0.002, 0.02), pauseMs: 60_000 });
  Object.assign(profile, DRAWN[name]?.(random, profile));
  // Only a doubtful form can be superseded here, so doubts must be frequent.
  if (profile.edges?.waiting?.supersedesDoubts) profile.platformTrouble = Math.max(profile.platformTrouble, 0.5);
  return profile;
}

const DRAWN: Partial<Record<ProfileName, (random: Random, plain: Profile) => Partial<Profile>>> = {
  edges: (random, plain) => ({ edges: drawEdges(random, plain) }),
  losses: (random) => ({ losses: { evict: seldom(random, 0.8, 0.006), corrupt: seldom(random, 0.6, 0.004) } }),
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

/** The newest writers of a world write this version. No value of the journal's library is imported here: it would be loaded before bugs are planted in it. */
export const NEWEST: RulesVersion = 2;
const OLDER: RulesVersion = 1;

function drawEdges(random: Random, { processes, troubleMs }: Profile): Edges {
  const isMoved = random.chance(0.3);
  const waiting = random.chance(0.5) ? drawWaiting(random) : undefined;
  const version = (): RulesVersion => (isMoved || random.chance(0.6) ? NEWEST : OLDER);
  const isMixed = !isMoved && random.chance(0.8);
  const first = version();
  const times = isMixed ? 1 + random.below(3) : 0;
  // These numbers are drawn apart, so that older seeds still give the same worlds.
  const apart = random.apart();
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
    refusals: drawRefusals(random.apart(), processes, troubleMs),
  };
}

/** A change of configuration and its rollback, one gateway after the other. */
function drawRefusals(random: Random, processes: number, troubleMs: number): Edges['refusals'] {
  if (random.chance(0.6)) return [];
  return Array.from({ length: processes }, (_, number) => {
    const fromMs = random.between(0.1, 0.8) * troubleMs;
    return { gateway: `gateway-${number}`, fromMs, untilMs: random.between(fromMs, 0.95 * troubleMs) };
  });
}

function drawWaiting(random: Random): WaitingEdges {
  return {
    expiry: random.chance(0.7) ? 0.6 : 0,
    earlyTimer: 0.2,
    saidNotExecuted: random.chance(0.5) ? 0.4 : 0,
    otherCurrency: random.chance(0.4) ? 0.2 : 0,
    supersedesDoubts: random.chance(0.6),
  };
}

/** A pause is longer than a session, so the process wakes up as an owner that was replaced. */
function drawMoves(random: Random): Partial<Profile> {
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
    moves: { unheard: seldom(random, 0.7, 0.01), indexAway: seldom(random, 0.4, 0.002), isOrderly: false },
  };
}

const orderlyMoves = (): Profile => ({
  ...calmProfile(),
  ...{ processes: 3, rebalance: 0.02, troubleMs: 20_000, moves: { unheard: 0, indexAway: 0, isOrderly: true } },
});

/** A pause of a minute of the only gateway that works would leave too little time for rest. */
function drawCut(random: Random, { processes, troubleMs, pauseMs }: Profile): Partial<Profile> {
  const isAll = random.chance(0.2);
  const gateways = Array.from({ length: isAll ? processes : 1 }, (_, number) => `gateway-${number}`);
  const fromMs = random.between(0.1, 0.9) * troubleMs;
  const lastsMs = isAll || random.chance(0.5) ? random.between(40_000, 120_000) : Infinity;
  return { pauseMs: Math.min(pauseMs, 12_000), cut: { gateways, fromMs, untilMs: fromMs + lastsMs } };
}

/** A doubt takes 6 s here. An index of eight records is built for longer than from one join to the next. */
function drawJoins(random: Random): Partial<Profile> {
  const everyMs = random.chance(0.5) ? random.between(4_000, 5_500) : random.between(20_000, 25_000);
  const troubleMs = random.between(20_000, 40_000);
  const lostAtMs = random.between(0.6, 1) * troubleMs;
  return {
    ...{ flush: 0, restore: 0, rebalance: 0, operator: false, troubleMs, pauseMs: 3_000 },
    ...{ crash: seldom(random, 0.6, 0.004), slow: seldom(random, 0.7, 0.05), slowMs: 1_500 },
    joins: { everyMs, readMs: everyMs / 8, lostAtMs },
  };
}

/** All gateways write the newest version, and nothing else is unusual. */
const plainEdges = (processes: number): Edges => ({
  versions: Array.from({ length: processes }, () => NEWEST),
  switches: [],
  cutsAtMs: [],
  refusals: [],
  externalsFirst: 0,
  backOffice: 0,
  otherAmount: 0,
  refundOfAuthorization: 0,
});

/** Many doubts, most of which a notification without a tag tells something of, and no other people. */
function drawStaleViews(random: Random, { processes, pauseMs }: Profile): Partial<Profile> {
  return {
    ...{ operator: false, pauseMs: Math.min(pauseMs, 12_000) },
    ...{ platformTrouble: random.between(0.3, 0.8), notificationMissing: seldom(random, 0.5, 0.3) },
    edges: plainEdges(processes),
    staleViews: { withinMs: random.pick([500, 3_000, 15_000]), lateBooks: random.between(0.3, 1) },
  };
}

/** Many successes with another amount than asked for, other currencies, and false reports. */
function drawSettled(random: Random, { processes, pauseMs }: Profile): Partial<Profile> {
  const waiting = { expiry: seldom(random, 0.5, 0.5), earlyTimer: 0, saidNotExecuted: 0, otherCurrency: 0.1 };
  return {
    ...{ operator: false, pauseMs: Math.min(pauseMs, 12_000), troubleMs: random.between(10_000, 40_000) },
    edges: {
      ...plainEdges(processes),
      otherAmount: random.between(0.3, 0.9),
      waiting: { ...waiting, supersedesDoubts: false },
    },
    settles: {
      ...{ withinMs: random.pick([100, 1_000, 6_000]), repairs: random.between(0.2, 0.9), alone: 0.2 },
      falseReports: random.between(0, 0.6),
    },
  };
}

const DAY_MS = 86_400_000;

/** Other faults of clocks would move the timers, so such a world has none. */
function drawDays(random: Random, { troubleMs, pauseMs }: Profile): Partial<Profile> {
  const stopAtMs = random.between(0.3, 0.8) * troubleMs;
  const startAtMs = stopAtMs + random.between(1_000, 30_000);
  const passedMs = random.between(6, 7.9) * DAY_MS;
  const days = { stopAtMs, startAtMs, passedMs, slowMs: random.pick([100, 2_000, 10_000]) };
  return {
    ...{ clockSkewMs: 20, clockJump: 0, operator: false, pauseMs: Math.min(pauseMs, 12_000), days },
    troubleMs: startAtMs + random.between(5_000, 20_000),
  };
}

/** Such a world has no other faults of clocks. */
function drawClocks(random: Random, { troubleMs }: Profile): Partial<Profile> {
  const fromMs = random.chance(0.3) ? 0 : random.between(0, 0.5) * troubleMs;
  const byMs = random.between(-400, 400) * DAY_MS;
  return {
    clockSkewMs: 20,
    clockJump: 0,
    operator: false,
    clocks: { gateway: 'gateway-0', fromMs, untilMs: random.between(0.6, 1) * troubleMs, byMs },
  };
}

/** The index holds what is left of the lost records, so such a world has no other faults of the index. */
function drawJournalLoss(random: Random, { troubleMs, pauseMs }: Profile): Partial<Profile> {
  const journalLoss = { atMs: random.between(0.2, 0.9) * troubleMs, records: 6, isRecreated: random.chance(0.3) };
  return { flush: 0, restore: 0, staleRead: 0, operator: false, pauseMs: Math.min(pauseMs, 12_000), journalLoss };
}

function drawKeeping(random: Random, troubleMs: number): Pick<Edges, 'keepsEveryMs' | 'cutsAtMs'> {
  if (random.chance(0.3)) return { cutsAtMs: [] };
  const cutsAtMs = Array.from({ length: random.below(3) }, () => random.between(0.3, 1) * troubleMs);
  return { keepsEveryMs: random.between(300, 3_000), cutsAtMs };
}

function drawTroubles(random: Random): Profile {
  return {
    processes: random.chance(0.3) ? 3 : 2,
    quickMs: random.pick([1, 5, 20, 100]),
    slow: seldom(random, 0.7, 0.15),
    slowMs: random.pick([300, 1500, 4000]),
    crash: seldom(random, 0.6, 0.012),
    pause: seldom(random, 0.5, 0.008),
    pauseMs: random.pick([500, 3000, 12_000]),
    rebalance: seldom(random, 0.5, 0.008),
    flush: seldom(random, 0.25, 0.004),
    restore: seldom(random, 0.2, 0.004),
    staleRead: seldom(random, 0.4, 0.5),
    appendLost: seldom(random, 0.5, 0.2),
    appendTwice: seldom(random, 0.4, 0.15),
    platformTrouble: seldom(random, 0.8, 0.7),
    isStrict: random.chance(0.35),
    notificationMissing: seldom(random, 0.5, 0.5),
    notificationTwice: seldom(random, 0.5, 0.5),
    clockSkewMs: random.chance(0.4) ? 600_000 : 20,
    clockJump: seldom(random, 0.2, 0.01),
    operator: random.chance(0.4),
    troubleMs: random.between(5_000, 40_000),
  };
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

export function calmProfile(): Profile {
  return {
    processes: 2,
    quickMs: 5,
    slow: 0,
    slowMs: 0,
    crash: 0,
    pause: 0,
    pauseMs: 0,
    rebalance: 0,
    flush: 0,
    restore: 0,
    staleRead: 0,
    appendLost: 0,
    appendTwice: 0,
    platformTrouble: 0,
    isStrict: false,
    notificationMissing: 0,
    notificationTwice: 0,
    clockSkewMs: 0,
    clockJump: 0,
    operator: false,
    troubleMs: 10_000,
  };
}
