import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';

const SEEDS = 1_000_000_000;

/** A seed that changes with the commit, so that every one is tried with other worlds, and the same again with the same. Drawn where there is no git. */
export function commitSeed() {
  try {
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], {
      stdio: ['ignore', 'pipe', 'ignore'],
      encoding: 'utf8',
    }).trim();
    return Number.parseInt(commit.slice(0, 12), 16) % SEEDS;
  } catch {
    return randomInt(SEEDS);
  }
}
