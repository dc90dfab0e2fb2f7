import { CLOCK_MUTANTS } from './clock-mutants.js';
import { CONSUMER_MUTANTS } from './consumer-mutants.js';
import { EXECUTION_MUTANTS } from './execution-mutants.js';
import { JOURNAL_MUTANTS } from './journal-mutants.js';
import { LOSS_MUTANTS } from './loss-mutants.js';
import { PROJECTION_MUTANTS } from './projection-mutants.js';
import { STATE_MUTANTS } from './state-mutants.js';
import type { Mutant } from './mutant.js';

/** Bugs that a maintainer could make, planted in the real compiled code. The simulation must find every one. */
export const MUTANTS: readonly Mutant[] = [
  ...EXECUTION_MUTANTS,
  ...JOURNAL_MUTANTS,
  ...STATE_MUTANTS,
  ...PROJECTION_MUTANTS,
  ...CONSUMER_MUTANTS,
  ...CLOCK_MUTANTS,
  ...LOSS_MUTANTS,
];

export function findMutant(name: string): Mutant {
  const mutant = MUTANTS.find((one) => one.name === name);
  if (!mutant) throw new Error(`no mutant is named ${name}`);
  return mutant;
}
