/** Runs the simulated worlds of `npm run faults` for specs, and expects no violation in them. */
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { PROFILES } from '../faults.mjs';

export function faults(...args) {
  const child = spawn(process.execPath, ['tools/dev.mjs', 'faults', ...args], { env: process.env });
  // Simulated worlds have a virtual clock, so they can wait; other tests have deadlines and go first.
  setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].on('data', (chunk) => (said[name] += chunk));
  return new Promise((done) => child.once('close', (code, signal) => done({ exitCode: code ?? signal, ...said })));
}

/** Milliseconds. A run takes half a minute on a quiet machine, and much longer on a busy one without being wrong. */
const WORLDS_TIMEOUT_MS = 1_800_000;

/** Defines one test for each profile, and plays the worlds of all of them in one run: each start of a process would cost more than ten worlds. */
export function keepsThePromise({ runs, seed }) {
  let said;
  beforeAll(async () => {
    said = await faults('--simulated', '--profile', 'all', '--runs', String(runs), '--seed', seed, '--json');
  }, WORLDS_TIMEOUT_MS);

  it.each(PROFILES)(`keeps the promise in ${runs} %s worlds from seed ${seed}`, (profile) => {
    const { stdout, stderr } = said;
    const lastLine = stdout.trimEnd().split('\n').at(-1);
    if (!lastLine) throw new Error(`faults ended without a result\n${stderr.slice(-5_000)}`);
    const result = JSON.parse(lastLine).profiles.find((one) => one.profile === profile);
    const { operations, crashes, inDoubt, falseDoubt, ...rest } = result;
    const violations = Object.entries(rest).filter(
      ([name, count]) => !['runs', 'profile', 'seed'].includes(name) && count > 0,
    );
    if (violations.length > 0) throw new Error(`${violations.join(' ')}\n${stderr.slice(-5_000)}`);
    expect(result).toMatchObject({ runs, seed: Number(seed), executedTwice: 0, lost: 0 });
    expect(operations).toBeGreaterThan(0);
  });

  it('ends with exit code 0', () => expect(said.exitCode).toBe(0));
}
