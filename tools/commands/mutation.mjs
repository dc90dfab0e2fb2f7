import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { isInstalled } from '../infra/bootstrap.mjs';
import { Expected } from '../infra/processes.mjs';

const FOLDERS = { state: 'libs/order-journal/src/state', partition: 'libs/order-journal/src/partition' };
/** Folders with the unit tests that must notice. */
const SPECS = { state: 'state timers', partition: 'partition journal' };
/** A score below this fails: the fold has no other copy that would notice. */
const BREAK = { state: 85 };
/** Not a dependency: it would add 108 packages and 65 MB to each installation. npm keeps them in its own cache. */
const STRYKER = ['@stryker-mutator/core@9.6.1', '@stryker-mutator/jest-runner@9.6.1'];
const REPORTS = 'node_modules/.cache/mutation';
const DETECTED = ['Killed', 'Timeout'];
const MISSED = ['Survived', 'NoCoverage'];

export const description = 'changes one expression of the fold or the owner after another: the unit tests must notice';

export const options = {
  only: { value: 'FILE', help: 'one file by its name, such as guards.ts; the score of a file fails nothing' },
  json: { help: 'the last line is one JSON object' },
};

export const exitCodes = { 1: `too few changes of state/ were noticed, or it could not be measured` };

export const fault = ({ options: { only } }) =>
  only === undefined || filesOf(only).length > 0 ? undefined : `there is no file ${only} to change`;

export async function run({ options: { only, json }, held, log }) {
  // Jest compiles the changed copy itself, so nothing must be built.
  if (!isInstalled()) throw new Expected('the packages of package-lock.json are not installed: npm ci');
  mkdirSync(REPORTS, { recursive: true });
  const results = [];
  for (const file of filesOf(only)) {
    const result = await scoreOf(file, { held, log });
    results.push(result);
    console.log(`${file.padEnd(55)} ${percent(result)} of ${result.detected + result.missed.length}`);
    for (const line of result.missed) console.log(`  ${line}`);
  }
  const folders = Object.keys(FOLDERS).filter((folder) =>
    results.some(({ file }) => dirname(file) === FOLDERS[folder]),
  );
  const scores = Object.fromEntries(folders.map((folder) => [folder, totalOf(results, folder)]));
  for (const [folder, total] of Object.entries(scores)) console.log(`${folder.padEnd(55)} ${percent(total)}`);
  if (json) console.log(JSON.stringify({ files: results, scores }));
  const isBelow = ([folder, least]) => 100 * shareOf(scores[folder]) < least;
  return only === undefined && Object.entries(BREAK).some(isBelow) ? 1 : 0;
}

function filesOf(only) {
  const isMutated = (name) => name.endsWith('.ts') && !name.endsWith('.spec.ts') && (only ?? name) === name;
  return Object.values(FOLDERS).flatMap((folder) =>
    readdirSync(folder)
      .filter(isMutated)
      .map((name) => `${folder}/${name}`),
  );
}

async function scoreOf(file, { held, log }) {
  const report = `${REPORTS}/${basename(file, '.ts')}`;
  const env = { ...process.env, MUTATION_SPECS: SPECS[basename(dirname(file))], MUTATION_REPORT: report };
  const stryker = ['stryker', 'run', 'verification/mutation/stryker.config.mjs', '--mutate', file];
  const packages = STRYKER.map((name) => `--package=${name}`);
  await held.run('npm', ['exec', '--yes', '--ignore-scripts', ...packages, '--', ...stryker], { env, onLine: log });
  const { source, mutants } = JSON.parse(readFileSync(`${report}.json`, 'utf8')).files[file] ?? { mutants: [] };
  const missed = mutants.filter(({ status }) => MISSED.includes(status));
  return {
    file,
    detected: mutants.filter(({ status }) => DETECTED.includes(status)).length,
    missed: missed.map(
      (one) => `${one.location.start.line}: ${textAt(source, one.location)} → ${oneLine(one.replacement)}`,
    ),
  };
}

function textAt(source, { start, end }) {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  lines[lines.length - 1] = lines.at(-1).slice(0, end.column - 1);
  return lines
    .join('\n')
    .slice(start.column - 1)
    .replace(/\s+/g, ' ')
    .slice(0, 100);
}

function totalOf(results, folder) {
  const own = results.filter(({ file }) => dirname(file) === FOLDERS[folder]);
  return { detected: own.reduce((sum, one) => sum + one.detected, 0), missed: own.flatMap(({ missed }) => missed) };
}

const shareOf = ({ detected, missed }) => detected / Math.max(1, detected + missed.length);
const percent = (score) => `${(100 * shareOf(score)).toFixed(1)} %`;
