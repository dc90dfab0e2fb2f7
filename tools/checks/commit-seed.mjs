import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';

const SEEDS = 1_000_000_000;

/** The seed changes with the commit: each commit tries other worlds, and a rerun tries the same ones. It is random without git. */
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
