import { randomInt } from 'node:crypto';

/** What a seed is drawn from: 0 up to, not including, this number. Short enough to be typed, and to stand in an ORDERID. */
export const SEEDS = 1_000_000_000;

/** The seed that was asked for; else another one each time, which is told, so that whatever it shows can be shown again. */
export function seedOf(asked: number | undefined, tell: (line: string) => void): number {
  if (asked !== undefined) return asked;
  const drawn = randomInt(SEEDS);
  tell(`seed ${drawn} (repeat with --seed ${drawn})`);
  return drawn;
}
