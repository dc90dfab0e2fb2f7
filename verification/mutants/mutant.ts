import type { ProfileName } from '../simulation/profile.js';
import type { PlantedText } from './planted.js';

/** A piece of one compiled file. */
export interface Change {
  /** In the project's `dist`. */
  file: string;
  find: string;
  replace: string;
}

export interface Mutant extends PlantedText, Change {
  project: 'order-journal' | 'kafka';
  /** What must go with it, where one mistake alone is caught by a second line of defence. */
  also?: readonly Change[];
  /** The mistake in one line. */
  does: string;
  /** The worlds that it takes, where those drawn plainly show it too seldom. */
  profile?: ProfileName;
  /** The seed to begin at, where one world in thousands shows it. */
  from?: number;
}

/** Every change of a mutant, each with its name. */
export const changesOf = ({ name, file, find, replace, also = [] }: Mutant): (PlantedText & Change)[] =>
  [{ file, find, replace }, ...also].map((change) => ({ name, ...change }));
