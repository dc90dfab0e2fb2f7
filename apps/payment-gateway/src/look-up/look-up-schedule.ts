import { createHash } from 'node:crypto';
import type { OperationState } from '@tranche/order-journal';

/** A doubt that nobody could ask about in time is asked about once more for so long after the last look-up was due. */
const LATE_MS = 86_400_000;
/** Of the shorter gap beside it: doubts that began together are not asked about together. */
const JITTER = 0.1;
const MAX_LOOK_UPS = 20;
const MAX_AFTER_MS = 7 * 86_400_000;

/** Reads `LOOKUP_AFTER_MS`: rising milliseconds after the doubt began, separated by commas. */
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

/** The shortest time between two look-ups of a doubt, milliseconds. */
export const shortestGapMs = (afterMs: readonly number[]): number =>
  Math.min(...afterMs.map((time, at) => time - (afterMs[at - 1] ?? 0)));

type Doubt = Pick<OperationState, 'commandId' | 'since'>;

/** When a doubt is looked up, milliseconds since the epoch: the same for every instance, and for one that was started again. */
export function lookUpTimesOf({ commandId, since = '' }: Doubt, afterMs: readonly number[]): number[] {
  const sinceMs = Date.parse(since);
  return afterMs.map((time, at) => {
    const gapMs = Math.min(time - (afterMs[at - 1] ?? 0), (afterMs[at + 1] ?? Number.POSITIVE_INFINITY) - time);
    return Math.round(sinceMs + time + gapMs * JITTER * shareOf(`${commandId} ${at}`));
  });
}

export interface DueLookUp {
  /** Which one of the schedule, from 1. Those that were missed are left out. */
  number: number;
  /** How long after `nowMs` it is certain that no other look-up of this doubt is due any more. Milliseconds. */
  endsInMs: number;
}

export function dueLookUp(doubt: Doubt, afterMs: readonly number[], nowMs: number): DueLookUp | undefined {
  const times = lookUpTimesOf(doubt, afterMs);
  const endsInMs = (times.at(-1) ?? Number.NaN) + LATE_MS - nowMs;
  const number = times.filter((time) => time <= nowMs).length;
  return number > 0 && endsInMs > 0 ? { number, endsInMs } : undefined;
}

/** `undefined`: it will not be looked up again. */
export function nextLookUpMs(doubt: Doubt, afterMs: readonly number[], nowMs: number): number | undefined {
  return lookUpTimesOf(doubt, afterMs).find((time) => time > nowMs);
}

/** A number in [0, 1) that is always the same for the same text. */
const shareOf = (text: string) => createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
