import type { ProfileName } from '../simulation/profile.js';
import type { PlantedText } from './planted.js';

export interface Change {
  file: string;
  find: string;
  replace: string;
}

export interface Mutant extends PlantedText, Change {
  /** `verification`: the simulation's copy of what the service does in an application. */
  project: 'order-journal' | 'kafka' | 'verification';
  /** Further changes, if a second line of defence catches this bug alone. */
  also?: readonly Change[];
  does: string;
  /** Worlds in which the bug shows, if plain ones show it too rarely. */
  profile?: ProfileName;
  /** The first seed to try, if only one world in thousands shows the bug. */
  from?: number;
}

/** The compiled file of a change. */
export const urlOf = (project: Mutant['project'], file: string, resolve: (name: string) => string): URL =>
  new URL(file, `file://${project === 'verification' ? process.argv[1] : resolve(`@tranche/${project}`)}`);

export const changesOf = ({ name, file, find, replace, also = [] }: Mutant): (PlantedText & Change)[] =>
  [{ file, find, replace }, ...also].map((change) => ({ name, ...change }));
