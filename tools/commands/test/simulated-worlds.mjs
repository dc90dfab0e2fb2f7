/** Runs the simulated worlds of `npm run faults` for specs, and expects no violation in them. */
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';

export function faults(...args) {
  const child = spawn(process.execPath, ['tools/dev.mjs', 'faults', ...args], { env: process.env });
  // Simulated worlds have a virtual clock, so they can wait; other tests have deadlines and go first.
  setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].on('data', (chunk) => (said[name] += chunk));
  return new Promise((done) => child.once('close', (code, signal) => done({ exitCode: code ?? signal, ...said })));
}

/** Milliseconds. A run takes half a minute on a quiet machine, and much longer on a busy one without being wrong. */
export const WORLDS_TIMEOUT_MS = 1_800_000;

export async function expectPromiseKept({ profile, runs, seed }) {
  const args = ['--simulated', '--profile', profile, '--runs', String(runs), '--seed', seed, '--json'];
  const { exitCode, stdout, stderr } = await faults(...args);
  if (exitCode !== 0) throw new Error(`faults ended with ${exitCode}\n${stderr.slice(-5_000)}`);
  expect(JSON.parse(stdout.trimEnd().split('\n').at(-1))).toMatchObject({
    ...{ runs, executedTwice: 0, lost: 0, wrongOutcome: 0, outOfOrder: 0, guardBroken: 0, eventsBroken: 0 },
    ...{ indexWrong: 0, frontierPassed: 0, wrongClock: 0, profile, seed: Number(seed) },
  });
}
