import { Random } from '../simulation/random.js';
import { chosen, PLAYED_FIRST, SCENARIOS } from './catalogue.js';
import { CRASH_POINTS } from './failpoints/failpoints.js';

const names = (runs: number, seed = 1) => chosen(SCENARIOS, runs, new Random(seed)).map(({ name }) => name);

it('has each scenario under a name of its own, and one for every crash point', () => {
  expect(new Set(SCENARIOS.map(({ name }) => name)).size).toBe(SCENARIOS.length);
  expect(new Set(SCENARIOS.map(({ crashPoint }) => crashPoint))).toEqual(new Set([...CRASH_POINTS, undefined]));
});

it('plays the first ones where there are few runs', () => {
  expect(names(PLAYED_FIRST.length)).toEqual([...PLAYED_FIRST]);
  expect(names(3)).toEqual(PLAYED_FIRST.slice(0, 3));
});

it('begins the long one right after them', () => {
  for (const seed of [1, 2, 3]) expect(names(100, seed)[PLAYED_FIRST.length]).toBe('kafka-away-60-s');
});

it('plays every scenario in 100 runs, and kills at crash points in 46 of them', () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const played = names(100, seed);
    expect(new Set(played).size).toBe(SCENARIOS.length);
    expect(played.filter((name) => name.startsWith('killed-')).length).toBeGreaterThanOrEqual(46);
    expect(played.filter((name) => name === 'kafka-away-60-s')).toHaveLength(1);
  }
});

it('chooses alike for the same seed', () => {
  expect(names(100, 7)).toEqual(names(100, 7));
  expect(names(100, 7)).not.toEqual(names(100, 8));
});
