import { randomInt } from 'node:crypto';

/** The command line gives these to every campaign. */
export interface Given extends Partial<Record<'runs' | 'orders' | 'workers', number>> {
  seed: number;
  json: boolean;
  only?: string;
}

/** Seeds are below this number: short enough to be typed, and to be part of an ORDERID. */
export const SEEDS = 1_000_000_000;

/** Returns the seed asked for, else a random one. The random one is printed, so that the run can be repeated. */
export function seedOf(asked: number | undefined, print: (line: string) => void): number {
  if (asked !== undefined) return asked;
  const drawn = randomInt(SEEDS);
  print(`seed ${drawn} (repeat with --seed ${drawn})`);
  return drawn;
}
