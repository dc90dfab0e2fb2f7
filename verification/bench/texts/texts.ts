import { holdsCardData } from '@tranche/contracts';
import { Random } from '../../simulation/random.js';
import { KINDS } from './kinds.js';
import { planted, SCHEMES } from './planted.js';

export interface Counted {
  readonly name: string;
  /** Ordinary texts that were taken for card data, or planted cards that were not. */
  readonly wrong: number;
  readonly texts: number;
  /** Up to three of the wrong ones. All of them are generated. */
  readonly examples: readonly string[];
}

type Scan = (text: string) => boolean;

/** Ordinary texts of each kind that the scan takes for card data. */
export function falseRefusals(texts: number, seed: number, scan: Scan = holdsCardData): Counted[] {
  return Object.entries(KINDS).map(([name, write]) => counted(name, texts, seed, write, scan));
}

/** Planted cards of each scheme that the scan misses. */
export function missedCards(texts: number, seed: number, scan: Scan = holdsCardData): Counted[] {
  return SCHEMES.map((scheme) =>
    counted(
      scheme,
      texts,
      seed,
      (random) => planted(scheme, random),
      (text) => !scan(text),
    ),
  );
}

function counted(name: string, texts: number, seed: number, write: (random: Random) => string, isWrong: Scan): Counted {
  const random = new Random(seed);
  const found = Array.from({ length: texts }, () => write(random)).filter(isWrong);
  return { name, wrong: found.length, texts, examples: found.slice(0, 3) };
}
