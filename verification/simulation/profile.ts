import type { RulesVersion } from '@tranche/order-journal';
import { drawLedger, type LedgerEdges } from './ledger-profile.js';
import type { Random } from './random.js';

/** How rough one world is. Drawn anew for each run, so that calm worlds and wild ones are all visited. */
export interface Profile {
  processes: number;
  /** An I/O takes about this long, milliseconds, */
  quickMs: number;
  /** and this part of them up to `slowMs`. */
  slow: number;
  slowMs: number;
  /** Per wake of a process: killed, or stopped for longer than its session. */
  crash: number;
  pause: number;
  pauseMs: number;
  /** Per wake of a process: the group is rebalanced; the index loses all, goes back to an older copy. */
  rebalance: number;
  flush: number;
  restore: number;
  /** Part of the index reads that a replica answers from an older state. */
  staleRead: number;
  /** Part of the appends and publishes that are rejected: landed, landing later, or never. */
  appendLost: number;
  /** Part of the appends that land twice. */
  appendTwice: number;
  /** Part of the platform's calls with something else than a plain answer. */
  platformTrouble: number;
  /** The platform enforces its own rules; else it executes all that it is asked for, and the referee looks at us. */
  isStrict: boolean;
  notificationMissing: number;
  notificationTwice: number;
  /** Wall clocks are apart by up to this, milliseconds, and jump. */
  clockSkewMs: number;
  clockJump: number;
  operator: boolean;
  /** The fault phase lasts this long, milliseconds. */
  troubleMs: number;
  /** Worlds where releases meet; absent: all gateways write the first rules version, as they did when their seeds were drawn. */
  edges?: Edges;
  /** Worlds that lose what they have in ways of their own; absent elsewhere. */
  losses?: Losses;
  /** Worlds with machines, where processes keep sent ledgers. */
  ledger?: LedgerEdges;
  /** Worlds in which a journal partition loses records that were read. */
  anew?: AnewEdges;
  /** Worlds in which the date of one gateway is wrong by days for a while. */
  clocks?: { gateway: string; fromMs: number; untilMs: number; byMs: number };
}

/** The leader of a journal partition is lost, and the next one lacks its end, or everything (R11). */
export interface AnewEdges {
  atMs: number;
  /** So many of the records that the index knows are lost, at most, and all behind them. */
  records: number;
  /** The partition begins anew, empty. */
  isAnew: boolean;
}

/** Per wake of a process, each. */
export interface Losses {
  /** The index loses orders and keeps its marker, or loses all of a partition (R14). */
  evict: number;
  /** Something else than a state stands in the index. */
  corrupt: number;
}

/** Two releases side by side, each with a rules version of its own (R9). */
export interface Edges {
  /** What each gateway writes at first, in their order. */
  versions: RulesVersion[];
  /** An upgrade, or a rollback: one gateway after the other starts again and writes this version; then the index is lost, and rebuilt. */
  switches: { atMs: number; version: RulesVersion }[];
  /** Part of the orders whose first record is a notification of a capture made elsewhere. */
  externalsFirst: number;
  /** Part of the captures, refunds and voids without a tag that the back office makes by hand as well, meanwhile. */
  backOffice: number;
  /** Part of the refunds with a reference that name the authorization. */
  refundOfAuthorization: number;
  /** Part of the successes whose amount is not the one asked for. */
  otherAmount: number;
  /** Each process carries an order over, or forgets one, so often (milliseconds); absent: never. */
  keepsEveryMs?: number;
  /** When retention deletes the beginning of the journal, as far as orders were carried over; the index is lost then. */
  cutsAtMs: number[];
  /** When the journal moves to another cluster, where offsets are others; all writers write the newest version then. */
  movesAtMs?: number;
  /** When a gateway refuses every command, because its configuration is another one than that of the others (R13). */
  refusals: { gateway: string; fromMs: number; untilMs: number }[];
  waiting?: WaitingEdges;
}

/** Payments that wait, doubtful forms, and what notifications tell besides (R15). */
export interface WaitingEdges {
  /** Part of the payments that wait which our timer ends, and part of those timers that go off early. */
  expiry: number;
  earlyTimer: number;
  /** Part of the payments that wait of which the platform says "not executed". */
  saidNotExecuted: number;
  /** Part of the notifications that name another currency. */
  otherCurrency: number;
  /** Merchants allow that doubtful forms are superseded; method A answers with a form, or refuses. */
  supersedesDoubts: boolean;
}

const seldom = (random: Random, probability: number, most: number): number =>
  random.chance(probability) ? random.next() * most : 0;

/** `edges`: some gateways write one rules version and some another, while they are upgraded and rolled back; some refuse every command for a while; orders are carried over, the journal is cut and moved. `plain`: calm worlds and wild ones, all troubles seldom. `rough`: slow I/O, many rebalances and an index that is lost again and again, at once. `losses`: an index that is evicted or corrupt. `ledger`: processes keep sent ledgers on machines of their own. `clocks`: one gateway's date is ahead or behind by days. `anew`: a journal partition loses records, or begins anew, and two people resume it. */
export const PROFILES = ['plain', 'rough', 'edges', 'losses', 'ledger', 'clocks', 'anew'] as const;
export type ProfileName = (typeof PROFILES)[number];

export function drawProfile(random: Random, name: ProfileName = 'plain'): Profile {
  const profile = drawTroubles(random);
  if (name === 'rough') Object.assign(profile, drawRoughness(random));
  // A process that wakes up after an operator has closed what it was about to send.
  if (profile.operator && random.chance(0.4))
    Object.assign(profile, { pause: random.between(0.002, 0.02), pauseMs: 60_000 });
  if (name === 'edges') profile.edges = drawEdges(random, profile);
  if (name === 'losses') profile.losses = drawLosses(random);
  if (name === 'clocks') Object.assign(profile, drawClocks(random, profile));
  if (name === 'anew') Object.assign(profile, drawAnew(random, profile));
  if (name === 'ledger') profile.ledger = drawLedger(random, profile);
  // Without doubts nothing is superseded.
  if (profile.edges?.waiting?.supersedesDoubts) profile.platformTrouble = Math.max(profile.platformTrouble, 0.5);
  return profile;
}

/** The newest writers of a world write a version that no release has, with the same rules. No value of the journal's library is imported here: it would be loaded before bugs are planted in it. */
export const NEWEST: RulesVersion = 2;
const OLDER: RulesVersion = 1;

function drawEdges(random: Random, { processes, troubleMs }: Profile): Edges {
  const isMoved = random.chance(0.3);
  const waiting = random.chance(0.5) ? drawWaiting(random) : undefined;
  const version = (): RulesVersion => (isMoved || random.chance(0.6) ? NEWEST : OLDER);
  const isMixed = !isMoved && random.chance(0.8);
  const first = version();
  const times = isMixed ? 1 + random.below(3) : 0;
  // Chances of its own: worlds stay what their seeds gave before there was another version.
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
    // Chances of its own, as above.
    refusals: drawRefusals(random.apart(), processes, troubleMs),
  };
}

/** A change of configuration, and its rollback, one gateway after the other. */
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

const DAY_MS = 86_400_000;

/** Nothing else is wrong with the clocks of such a world. */
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

/** The index is what is left of the lost records: nothing else happens to it in such a world. */
function drawAnew(random: Random, { troubleMs, pauseMs }: Profile): Partial<Profile> {
  const anew = { atMs: random.between(0.2, 0.9) * troubleMs, records: 6, isAnew: random.chance(0.3) };
  return { flush: 0, restore: 0, staleRead: 0, operator: false, pauseMs: Math.min(pauseMs, 12_000), anew };
}

function drawLosses(random: Random): Losses {
  return {
    evict: seldom(random, 0.8, 0.006),
    corrupt: seldom(random, 0.6, 0.004),
  };
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

/** What it takes that an answer comes back to an assignment which has ended, while the index is behind (docs/reliability.md, faults found). */
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

/** A world in which nothing goes wrong. */
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
