import type { Profile } from './profile.js';
import type { Random } from './random.js';

/** Worlds whose processes note on their machine what they are about to send. Per wake of a process, where nothing else is said. */
export interface LedgerEdges {
  machines: number;
  /** The machine is lost, and comes back with its disk as it was written or without it. */
  machineLost: number;
  /** All of the machine stands still, CLOCK_MONOTONIC too; the date goes on. */
  suspended: number;
  /** The machine's date is set. */
  dateSet: number;
  /** The disk is full for a while, or nothing on it can be changed. */
  diskTrouble: number;
  /** Part of the writes that are short. */
  shortWrite: number;
  /** Part of the kills after which the end of the ledger reads as zeros. */
  blockLost: number;
  /** Part of the starts that are on another machine. */
  otherMachine: number;
  /** Locks of the file system hold nothing. */
  locksLie: boolean;
  /** The machines share one folder; locks hold on one machine only. */
  sharesFolder: boolean;
  /** For comparison: nobody keeps a ledger. */
  isOff?: boolean;
}

/** Kills and pauses are frequent here: the ledger is about them. */
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
