import type { Profile } from './profile.js';
import type { Random } from './random.js';

/**
 * Worlds whose processes keep sent ledgers on their machines. Numbers are probabilities per wake of a process, unless a comment says
 * otherwise.
 */
export interface LedgerEdges {
  machines: number;
  /** The machine crashes and restarts, with its disk as far as it was written, or without it. */
  machineLost: number;
  /** The whole machine and CLOCK_MONOTONIC stop; the date continues. */
  suspended: number;
  dateSet: number;
  /** The disk is full for a while, or nothing on it can be changed. */
  diskTrouble: number;
  shortWrite: number;
  /** Share of kills after which the end of the ledger reads as zeros. */
  blockLost: number;
  /** Share of starts on another machine. */
  otherMachine: number;
  /** Locks of the file system do not work. */
  locksLie: boolean;
  /** The machines share one folder; locks work only within one machine. */
  sharesFolder: boolean;
  /** Runs the same world without ledgers, for comparison. */
  isOff?: boolean;
}

/** Kills and pauses are frequent here, because the ledger exists for them. */
export function drawLedger(random: Random, profile: Profile): LedgerEdges {
  profile.crash = random.between(0.004, 0.02);
  if (random.chance(0.6)) profile.pause = random.between(0.002, 0.012);
  const seldom = (most: number): number => (random.chance(0.4) ? random.next() * most : 0);
  return {
    machines: random.pick([1, 2, 2]),
    machineLost: seldom(0.004),
    suspended: seldom(0.002),
    dateSet: seldom(0.002),
    diskTrouble: seldom(0.01),
    shortWrite: seldom(0.01),
    blockLost: seldom(0.6),
    otherMachine: random.chance(0.5) ? 0.2 : 0,
    locksLie: random.chance(0.2),
    sharesFolder: random.chance(0.25),
  };
}
