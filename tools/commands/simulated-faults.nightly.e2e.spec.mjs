import { readFileSync } from 'node:fs';
import { expectPromiseKept, faults, PROFILES, WORLDS_TIMEOUT_MS } from './simulated-worlds.mjs';

const RUNS = 300;
/** `npm run test:all` sets a seed that changes with the commit, so a rerun tries the same worlds. */
const { SIMULATED_SEED: seed = '1' } = process.env;

const found = JSON.parse(readFileSync('verification/simulation/found-seeds.json', 'utf8'));

it.each(PROFILES)(
  `keeps the promise in ${RUNS} %s worlds from seed ${seed}`,
  (profile) => expectPromiseKept({ profile, runs: RUNS, seed }),
  WORLDS_TIMEOUT_MS,
);

it.each(found.seeds)(
  'sees %i go wrong with the bug planted again that it showed',
  async (bad) => {
    const { exitCode, stdout, stderr } = await faults(
      '--mutants',
      '--only',
      found.mutant,
      '--runs',
      '1',
      '--seed',
      String(bad),
      '--json',
    );
    expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout.trimEnd().split('\n').at(-1))).toMatchObject({
      planted: 1,
      found: 1,
      mutants: [{ name: found.mutant, seed: bad }],
    });
  },
  600_000,
);
