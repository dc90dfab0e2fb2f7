import { expectPromiseKept, PROFILES, WORLDS_TIMEOUT_MS } from './simulated-worlds.mjs';

const RUNS = 10;
/** Always the same: other ones for each commit are tried by `npm run test:all`. */
const seed = '1';

it.each(PROFILES)(
  `keeps the promise in ${RUNS} %s worlds from seed ${seed}`,
  (profile) => expectPromiseKept({ profile, runs: RUNS, seed }),
  WORLDS_TIMEOUT_MS,
);
