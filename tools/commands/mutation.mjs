import { readdirSync } from 'node:fs';
import { install } from '../infra/bootstrap.mjs';

/** Folders, the specs that must notice, and the score below which the command fails: the fold has no other copy that would notice. */
const MUTATED = {
  state: { folder: 'libs/order-journal/src/state', specs: 'state timers', least: '85' },
  partition: { folder: 'libs/order-journal/src/partition', specs: 'partition journal', least: '' },
};
/** Not a dependency: it would add 108 packages and 65 MB to each installation. npm keeps them in its own cache. */
const STRYKER = ['--package=@stryker-mutator/core@9.6.1', '--package=@stryker-mutator/jest-runner@9.6.1'];

export const description = 'changes one expression of the fold or the owner after another: the unit tests must notice';
export const options = {
  only: { value: 'FILE', help: 'one file by its name, such as guards.ts; its score fails nothing' },
};
export const exitCodes = { 1: `too few changes of state/ were noticed, or it could not be measured` };

const filesOf = (folder, only) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts') && (only ?? name) === name)
    .map((name) => `${folder}/${name}`);

export const fault = ({ options: { only } }) =>
  only === undefined || Object.values(MUTATED).some(({ folder }) => filesOf(folder, only).length > 0)
    ? undefined
    : `there is no file ${only} to change`;

/** Stryker prints what was not noticed, and the scores; its page with both is in `node_modules/.cache/mutation`. */
export async function run({ options: { only }, held, log }) {
  // Jest compiles the changed copy itself, so nothing must be built.
  await install({ held, log });
  let exitCode = 0;
  for (const [name, { folder, specs, least }] of Object.entries(MUTATED)) {
    const files = filesOf(folder, only);
    if (files.length === 0) continue;
    const stryker = ['stryker', 'run', 'verification/mutation/stryker.config.mjs', '--mutate', files.join()];
    const args = ['exec', '--yes', '--ignore-scripts', ...STRYKER, '--', ...stryker];
    const own = { MUTATION_SPECS: specs, MUTATION_NAME: name, MUTATION_LEAST: only === undefined ? least : '' };
    const env = { ...process.env, ...own };
    if ((await held.start('npm', args, { env, onLine: (line) => console.log(line) }).exited) !== 0) exitCode = 1;
  }
  return exitCode;
}
