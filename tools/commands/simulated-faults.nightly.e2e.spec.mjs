import { keepsThePromise } from './test/simulated-worlds.mjs';

/** `npm run test:all` sets a seed that changes with the commit, so a rerun tries the same worlds. */
keepsThePromise({ runs: 300, seed: process.env.SIMULATED_SEED ?? '1' });
