import type { OperationState } from '@tranche/order-journal';

/** A doubt that could not be looked up in time gets one late look-up within this time after the last scheduled one. Milliseconds. */
const LATE_MS = 86_400_000;
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

type Doubt = Pick<OperationState, 'since'>;

/** Times of a doubt's look-ups, in milliseconds since the epoch. They are the same at every instance and after a restart. */
export const lookUpTimesOf = ({ since = '' }: Doubt, afterMs: readonly number[]): number[] =>
  afterMs.map((time) => Date.parse(since) + time);

/** Position in the schedule, from 1, of the look-up that is due; missed ones are skipped. Undefined before the first and a day after the last. */
export function dueLookUp(doubt: Doubt, afterMs: readonly number[], nowMs: number): number | undefined {
  const times = lookUpTimesOf(doubt, afterMs);
  const number = times.filter((time) => time <= nowMs).length;
  return number > 0 && nowMs < times.at(-1)! + LATE_MS ? number : undefined;
}

/** @returns undefined where no further look-up is scheduled */
export function nextLookUpMs(doubt: Doubt, afterMs: readonly number[], nowMs: number): number | undefined {
  return lookUpTimesOf(doubt, afterMs).find((time) => time > nowMs);
}
