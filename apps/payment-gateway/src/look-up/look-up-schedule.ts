import { createHash } from 'node:crypto';
import type { OperationState } from '@tranche/order-journal';

/** A doubt that could not be looked up in time gets one late look-up within this time after the last scheduled one. Milliseconds. */
const LATE_MS = 86_400_000;
/** Share of the shorter neighbouring gap. Spreads the look-ups of doubts that began together. */
const JITTER = 0.1;
const MAX_LOOK_UPS = 20;
const MAX_AFTER_MS = 7 * 86_400_000;

/** Parses `LOOKUP_AFTER_MS`: ascending milliseconds since the doubt began, comma-separated. */
export function readLookUpTimes(text: string): number[] {
  const times = text.split(',').map((part) => (/^\s*[0-9]{1,9}\s*$/.test(part) ? Number(part) : Number.NaN));
  const isRising = times.every((time, at) => time > (times[at - 1] ?? 0));
  if (!isRising || times.length > MAX_LOOK_UPS || (times.at(-1) ?? 0) > MAX_AFTER_MS) {
    throw new Error(
      `is no list of times. Give at most ${MAX_LOOK_UPS} rising whole numbers of milliseconds up to 7 days, separated by commas`,
    );
  }
  return times;
}

/** Shortest time between two look-ups of a doubt. Milliseconds. */
export const shortestGapMs = (afterMs: readonly number[]): number =>
  Math.min(...afterMs.map((time, at) => time - (afterMs[at - 1] ?? 0)));

type Doubt = Pick<OperationState, 'commandId' | 'since'>;

/** Times of a doubt's look-ups, in milliseconds since the epoch. They are the same at every instance and after a restart. */
export function lookUpTimesOf({ commandId, since = '' }: Doubt, afterMs: readonly number[]): number[] {
  const sinceMs = Date.parse(since);
  return afterMs.map((time, at) => {
    const gapMs = Math.min(time - (afterMs[at - 1] ?? 0), (afterMs[at + 1] ?? Number.POSITIVE_INFINITY) - time);
    return Math.round(sinceMs + time + gapMs * JITTER * shareOf(`${commandId} ${at}`));
  });
}

export interface DueLookUp {
  /** Position in the schedule, from 1. Missed look-ups are skipped. */
  number: number;
  /** Time from `nowMs` until no look-up of this doubt is due any more. Milliseconds. */
  endsInMs: number;
}

export function dueLookUp(doubt: Doubt, afterMs: readonly number[], nowMs: number): DueLookUp | undefined {
  const times = lookUpTimesOf(doubt, afterMs);
  const endsInMs = (times.at(-1) ?? Number.NaN) + LATE_MS - nowMs;
  const number = times.filter((time) => time <= nowMs).length;
  return number > 0 && endsInMs > 0 ? { number, endsInMs } : undefined;
}

/** @returns undefined where no further look-up is scheduled */
export function nextLookUpMs(doubt: Doubt, afterMs: readonly number[], nowMs: number): number | undefined {
  return lookUpTimesOf(doubt, afterMs).find((time) => time > nowMs);
}

/** Maps a text to a number in [0, 1), always the same one. */
const shareOf = (text: string) => createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
