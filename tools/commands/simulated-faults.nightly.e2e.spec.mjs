import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

const RUNS = 300;
/** `npm run test:all` says which: other ones for each commit, and the same again for the same. */
const { SIMULATED_SEED: seed = '1' } = process.env;

const found = JSON.parse(readFileSync('verification/simulation/found-seeds.json', 'utf8'));

const simulated = (profile) =>
  faults('--simulated', '--profile', profile, '--runs', String(RUNS), '--seed', seed, '--json');

function faults(...args) {
  const child = spawn(process.execPath, ['tools/tranche.mjs', 'faults', ...args], { env: process.env });
  // Simulated worlds have their own clock: whatever runs beside them has deadlines, so it goes first.
  setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].on('data', (chunk) => (said[name] += chunk));
  return new Promise((done) => child.once('close', (code, signal) => done({ exitCode: code ?? signal, ...said })));
}

it.each(['plain', 'rough', 'edges', 'losses', 'ledger', 'clocks', 'anew'])(
  `keeps the promise in ${RUNS} %s worlds from seed ${seed}`,
  async (profile) => {
    const { exitCode, stdout, stderr } = await simulated(profile);
    if (exitCode !== 0) throw new Error(`faults ended with ${exitCode}\n${stderr.slice(-5_000)}`);
    expect(JSON.parse(stdout.trimEnd().split('\n').at(-1))).toMatchObject({
      ...{
        runs: RUNS,
        executedTwice: 0,
        lost: 0,
        wrongOutcome: 0,
        outOfOrder: 0,
        guardBroken: 0,
        eventsBroken: 0,
        indexWrong: 0,
      },
      ...{ frontierPassed: 0, concludedExecuted: 0, wrongClock: 0, profile, seed: Number(seed) },
    });
  },
  // Half a minute on a quiet machine; a busy one is slow, not wrong.
  1_800_000,
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
