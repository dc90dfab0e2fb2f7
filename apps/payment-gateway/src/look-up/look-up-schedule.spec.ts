import { dueLookUp, lookUpTimesOf, nextLookUpMs, readLookUpTimes, shortestGapMs } from './look-up-schedule.js';

const AFTER_MS = [30_000, 60_000, 120_000, 300_000, 900_000, 3_600_000];
const SINCE_MS = Date.parse('2026-03-01T10:00:00.000Z');
const doubt = { commandId: 'command-1', since: '2026-03-01T10:00:00.000Z' };
const HOUR_MS = 3_600_000;

describe('readLookUpTimes', () => {
  it('reads rising milliseconds', () => {
    expect(readLookUpTimes('500, 1000,604800000')).toEqual([500, 1000, 604_800_000]);
  });

  it.each([
    '',
    '0',
    '-1',
    '1.5',
    '1000,1000',
    '2000,1000',
    '1000,,2000',
    '30s',
    '604800001',
    Array.from({ length: 21 }, (_, at) => at + 1).join(),
  ])('refuses %p', (text) => {
    expect(() => readLookUpTimes(text)).toThrow('is no list of times');
  });

  it('knows the shortest gap, the one before the first time too', () => {
    expect([shortestGapMs(AFTER_MS), shortestGapMs([100, 5_000])]).toEqual([30_000, 100]);
  });
});

describe('when a doubt is looked up', () => {
  it('at the times of the schedule after it began, later by less than a tenth of the gaps beside them', () => {
    const times = lookUpTimesOf(doubt, AFTER_MS).map((time) => time - SINCE_MS);
    for (const [at, time] of times.entries()) {
      const gapMs = Math.min(AFTER_MS[at]! - (AFTER_MS[at - 1] ?? 0), (AFTER_MS[at + 1] ?? Infinity) - AFTER_MS[at]!);
      expect(time).toBeGreaterThanOrEqual(AFTER_MS[at]!);
      expect(time).toBeLessThan(AFTER_MS[at]! + gapMs / 10 + 1);
    }
  });

  it('at the same times on every instance, at others for another operation', () => {
    expect(lookUpTimesOf({ ...doubt }, AFTER_MS)).toEqual(lookUpTimesOf(doubt, AFTER_MS));
    expect(lookUpTimesOf({ ...doubt, commandId: 'command-2' }, AFTER_MS)).not.toEqual(lookUpTimesOf(doubt, AFTER_MS));
  });

  const [first = 0, second = 0] = lookUpTimesOf(doubt, AFTER_MS);
  const last = lookUpTimesOf(doubt, AFTER_MS).at(-1) ?? 0;

  it.each([
    ['before the first', first - 1, undefined],
    ['at the first', first, 1],
    ['right before the second', second - 1, 1],
    ['at the second', second, 2],
    ['after a night without gateways: one look-up, not six', SINCE_MS + 9 * HOUR_MS, 6],
    ['at the end of the day after the last', last + 24 * HOUR_MS - 1, 6],
    ['later', last + 24 * HOUR_MS, undefined],
  ])('%s', (_, nowMs, number) => {
    expect(dueLookUp(doubt, AFTER_MS, nowMs)?.number).toBe(number);
  });

  it('returns how long a claim must hold: until no look-up of the doubt can be due', () => {
    expect(dueLookUp(doubt, AFTER_MS, first)?.endsInMs).toBe(last + 24 * HOUR_MS - first);
  });

  it.each([
    ['first', first - 1, first],
    ['second', first, second],
    ['none', last, undefined],
  ])('the next one is the %s', (_, nowMs, next) => {
    expect(nextLookUpMs(doubt, AFTER_MS, nowMs)).toBe(next);
  });

  it('never, where it is not known when the doubt began', () => {
    expect(dueLookUp({ commandId: 'command-1' }, AFTER_MS, SINCE_MS + HOUR_MS)).toBeUndefined();
    expect(nextLookUpMs({ commandId: 'command-1' }, AFTER_MS, SINCE_MS)).toBeUndefined();
  });
});
