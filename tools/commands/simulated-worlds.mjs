/** For specs: the simulated worlds of `npm run faults`, as people run them, and what must never happen in them. */
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';

/** Resolves to `{ exitCode, stdout, stderr }` of `npm run faults -- ARGS`. */
export function faults(...args) {
  const child = spawn(process.execPath, ['tools/tranche.mjs', 'faults', ...args], { env: process.env });
  // Simulated worlds have their own clock: whatever runs beside them has deadlines, so it goes first.
  setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].on('data', (chunk) => (said[name] += chunk));
  return new Promise((done) => child.once('close', (code, signal) => done({ exitCode: code ?? signal, ...said })));
}

export const PROFILES = ['plain', 'rough', 'edges', 'losses', 'ledger', 'clocks', 'anew'];

/** Half a minute on a quiet machine; a busy one is slow, not wrong. Milliseconds. */
export const WORLDS_TIMEOUT_MS = 1_800_000;

/** Plays so many worlds of a profile from this seed, and expects nothing in them that must never happen. */
export async function expectPromiseKept({ profile, runs, seed }) {
  const args = ['--simulated', '--profile', profile, '--runs', String(runs), '--seed', seed, '--json'];
  const { exitCode, stdout, stderr } = await faults(...args);
  if (exitCode !== 0) throw new Error(`faults ended with ${exitCode}\n${stderr.slice(-5_000)}`);
  expect(JSON.parse(stdout.trimEnd().split('\n').at(-1))).toMatchObject({
    ...{ runs, executedTwice: 0, lost: 0, wrongOutcome: 0, outOfOrder: 0, guardBroken: 0, eventsBroken: 0 },
    ...{ indexWrong: 0, frontierPassed: 0, concludedExecuted: 0, wrongClock: 0, profile, seed: Number(seed) },
  });
}
