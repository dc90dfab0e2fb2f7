import type { Random } from '../simulation/random.js';
import type { Scenario } from './scenario.js';
import { canaryScenarios } from './scenarios/canaries.js';
import { forgedNotifications } from './scenarios/forgeries.js';
import { platformScenarios } from './scenarios/platform.js';
import { serviceScenarios } from './scenarios/services.js';
import { storeScenarios } from './scenarios/stores.js';

const FAULTS = [...serviceScenarios, ...storeScenarios, ...platformScenarios];
export const SCENARIOS: readonly Scenario[] = [...FAULTS, ...canaryScenarios(FAULTS), forgedNotifications];

/** A short campaign plays these first: each tests another part of the promise. */
export const PLAYED_FIRST = [
  'killed-granted',
  'killed-answer-read',
  'killed-request-written',
  'kafka-killed',
  'redis-flushed-at-points-1',
  'stopped-granted',
  'two-owners',
  'platform-answers-lost',
  'ingest-killed-before-the-ok',
  'killed-outcome-acknowledged',
  'wrong-key-then-corrected',
  'produce-landed-intent',
] as const;

/** It takes as long as several others, so it starts early: the other workers need not wait for it at the end. */
const LONG = 'kafka-away-60-s';

/** Chooses a campaign's scenarios: PLAYED_FIRST, then the long one, then each of the others once, and then by weight. */
export function chosen(scenarios: readonly Scenario[], runs: number, random: Random): Scenario[] {
  const first = PLAYED_FIRST.flatMap((name) => scenarios.find((scenario) => scenario.name === name) ?? []);
  const others = shuffled(
    scenarios.filter((scenario) => !first.includes(scenario)),
    random,
  );
  const isLong = ({ name }: Scenario) => name === LONG;
  const all = [...first, ...others.filter(isLong), ...others.filter((scenario) => !isLong(scenario))].slice(0, runs);
  const weights = Object.fromEntries(scenarios.map(({ name, weight = 1 }) => [name, weight]));
  while (all.length < runs) {
    const name = random.weighted(weights);
    all.push(scenarios.find((scenario) => scenario.name === name)!);
  }
  return all;
}

function shuffled<T>(list: readonly T[], random: Random): T[] {
  const left = [...list];
  return list.map(() => left.splice(random.below(left.length), 1)[0]!);
}
