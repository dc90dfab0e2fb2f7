import { dueLookUp, lookUpTimesOf, nextLookUpMs, readLookUpTimes } from './look-up-schedule.js';

const AFTER_MS = [30_000, 60_000, 120_000, 300_000, 900_000, 3_600_000];
const SINCE_MS = Date.parse('2026-03-01T10:00:00.000Z');
const doubt = { since: '2026-03-01T10:00:00.000Z' };
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
});

describe('when a doubt is looked up', () => {
  it('at the times of the schedule after it began, the same on every instance', () => {
    expect(lookUpTimesOf(doubt, AFTER_MS)).toEqual(AFTER_MS.map((time) => SINCE_MS + time));
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
    expect(dueLookUp(doubt, AFTER_MS, nowMs)).toBe(number);
  });

  it.each([
    ['first', first - 1, first],
    ['second', first, second],
    ['none', last, undefined],
  ])('the next one is the %s', (_, nowMs, next) => {
    expect(nextLookUpMs(doubt, AFTER_MS, nowMs)).toBe(next);
  });

  it('never, where it is not known when the doubt began', () => {
    expect(dueLookUp({}, AFTER_MS, SINCE_MS + HOUR_MS)).toBeUndefined();
    expect(nextLookUpMs({}, AFTER_MS, SINCE_MS)).toBeUndefined();
  });
});
