import { PROFILES } from './faults.mjs';
import { expectPromiseKept, WORLDS_TIMEOUT_MS } from './test/simulated-worlds.mjs';

const RUNS = 300;
/** `npm run test:all` sets a seed that changes with the commit, so a rerun tries the same worlds. */
const { SIMULATED_SEED: seed = '1' } = process.env;

it.each(PROFILES)(
  `keeps the promise in ${RUNS} %s worlds from seed ${seed}`,
  (profile) => expectPromiseKept({ profile, runs: RUNS, seed }),
  WORLDS_TIMEOUT_MS,
);
