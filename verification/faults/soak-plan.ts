import { Random } from '../simulation/random.js';

/** `leave` and `join` are in each deck once, so there are 1 to 3 gateways. */
export const SOAK_FAULTS = ['kill', 'freeze', 'join', 'leave', 'broker', 'redis', 'platform', 'network'] as const;
export type SoakFault = (typeof SOAK_FAULTS)[number];

export interface PlannedFault {
  fault: SoakFault;
  /** Milliseconds after the begin of the load. */
  atMs: number;
}

const MINUTE_MS = 60_000;
/** A fault begins in these seconds of its minute; the rest of the minute is for the recovery. */
const BEGINS_MS = { from: 10_000, to: 20_000 };

/** One fault a minute; every kind comes once before one comes again. The same seed gives the same timetable. */
export function timetableOf(minutes: number, seed: number): PlannedFault[] {
  const random = new Random(seed);
  const faults: SoakFault[] = [];
  while (faults.length < minutes) {
    const deck = [...SOAK_FAULTS];
    while (deck.length > 0) faults.push(...deck.splice(random.below(deck.length), 1));
  }
  return faults.slice(0, minutes).map((fault, minute) => ({
    fault,
    atMs: Math.round(minute * MINUTE_MS + random.between(BEGINS_MS.from, BEGINS_MS.to)),
  }));
}
