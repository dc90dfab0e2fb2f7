import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { install } from '../infra/bootstrap.mjs';

const JOURNAL = 'libs/order-journal/src';
/** Logs of the safety model, and old journals: what the fold makes of them is known. */
const KNOWN_LOGS = 'libs/order-journal/test';
/** They read what the platform writes, so they are not in the library of the journal. */
const EVIDENCE = ['look-up/look-up-evidence', 'notification/notification-evidence'];
const SERVICE = 'apps/payment-gateway/src';
/** Folders, and where the specs are that must notice. */
const MUTATED = {
  state: {
    folder: `${JOURNAL}/state`,
    specs: [
      `${JOURNAL}/state`,
      `${JOURNAL}/timers`,
      KNOWN_LOGS,
      ...EVIDENCE.map((name) => `${SERVICE}/${name}.spec.ts`),
    ],
  },
  partition: { folder: `${JOURNAL}/partition`, specs: [`${JOURNAL}/partition`, `${JOURNAL}/journal`] },
  execution: { folder: `${JOURNAL}/execution`, specs: [`${JOURNAL}/execution`, `${SERVICE}/command`] },
};
/** Each file must reach this share, in hundredths: no other copy of this code would notice. */
const LEAST = 85;
const REPORTS = 'node_modules/.cache/mutation';
/** Not a dependency: it would add 108 packages and 65 MB to each installation. npm keeps them in its own cache. */
const STRYKER = ['--package=@stryker-mutator/core@9.6.1', '--package=@stryker-mutator/jest-runner@9.6.1'];

export const description =
  'changes one expression of the fold, the owner or the executor after another: the unit tests must notice';
export const options = {
  only: { value: 'FILE', help: 'one file by its name, such as guards.ts; its score fails nothing' },
};
export const exitCodes = {
  1: `fewer than ${LEAST} of 100 changes of a file were noticed, or it could not be measured`,
};

const filesOf = (folder, only) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts') && (only ?? name) === name)
    .map((name) => `${folder}/${name}`);

export const fault = ({ options: { only } }) =>
  only === undefined || Object.values(MUTATED).some(({ folder }) => filesOf(folder, only).length > 0)
    ? undefined
    : `there is no file ${only} to change`;

/** Stryker says one of these of each change (https://github.com/stryker-mutator/mutation-testing-elements); one that no test runs counts as a survivor. */
const NOTICED = ['Killed', 'Timeout'];
const SURVIVED = ['Survived', 'NoCoverage'];

function scoreOf(report) {
  const { files } = JSON.parse(readFileSync(report, 'utf8'));
  const statuses = Object.values(files).flatMap(({ mutants }) => mutants.map(({ status }) => status));
  const count = (names) => statuses.filter((status) => names.includes(status)).length;
  return { noticed: count(NOTICED), survived: count(SURVIVED) };
}

const share = ({ noticed, survived }) => (noticed + survived === 0 ? 100 : (100 * noticed) / (noticed + survived));

/** Stryker keeps results while titles of tests stay the same; with this in its file's name, they are those of the same tests. */
function digestOf(places) {
  const filesIn = (place) =>
    statSync(place).isFile() ? [place] : readdirSync(place, { recursive: true }).map((name) => join(place, name));
  const digest = createHash('sha256');
  for (const file of places.flatMap(filesIn).filter((name) => name.endsWith('.ts'))) digest.update(readFileSync(file));
  return digest.digest('hex').slice(0, 12);
}

/** As a row of a Markdown table, which can be pasted into the documents. */
const rowOf = ({ file, noticed, survived }) =>
  `| ${file.slice(JOURNAL.length + 1)} | ${noticed} | ${survived} | ${share({ noticed, survived }).toFixed(1)} % |`;

/**
 * Each file has a run and a report of its own, so that a night that was cut off goes on with the file at which it ended. Stryker prints what was not
 * noticed; its pages with all of it are in `node_modules/.cache/mutation`.
 */
export async function run({ options: { only }, held, log }) {
  // Jest compiles the changed copy itself, so nothing must be built.
  await install({ held, log });
  const scores = [];
  let exitCode = 0;
  for (const [name, { folder, specs }] of Object.entries(MUTATED)) {
    for (const file of filesOf(folder, only)) {
      const changed = basename(file, '.ts');
      const report = `${REPORTS}/${name}/${changed}`;
      const stryker = ['stryker', 'run', 'verification/mutation/stryker.config.mjs', '--mutate', file];
      const args = ['exec', '--yes', '--ignore-scripts', ...STRYKER, '--', ...stryker];
      const env = {
        ...process.env,
        MUTATION_SPECS: specs.join(),
        MUTATION_FILE: changed,
        MUTATION_REPORT: report,
        MUTATION_RESUMED: `${report}.${digestOf([KNOWN_LOGS, ...specs])}.json`,
      };
      const ended = await held.start('npm', args, { env, onLine: (line) => console.log(line) }).exited;
      if (ended !== 0 || !existsSync(`${report}.json`)) exitCode = 1;
      else scores.push({ name, file, ...scoreOf(`${report}.json`) });
    }
  }
  for (const score of scores) console.log(rowOf(score));
  const below = scores.filter((score) => share(score) < LEAST).map(({ file }) => basename(file));
  if (only === undefined && below.length > 0) {
    console.error(`fewer than ${LEAST} of 100 changes were noticed of ${below.join(', ')}`);
    exitCode = 1;
  }
  return exitCode;
}
