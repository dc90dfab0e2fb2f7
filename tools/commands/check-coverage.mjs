import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bootstrap } from '../infra/bootstrap.mjs';
import { TEMPORARY } from './variables.mjs';

export const description =
  'runs the unit tests that docs/reference/spec-coverage.md names: each function of a row is called by them, each changed value makes one fail';
export const options = { only: { value: 'ID', help: 'only rows with such an id, e.g. Limits. or Cart.,Card.' } };
export const variables = TEMPORARY;
export const exitCodes = { 1: 'a symbol is not run by its tests; a line for each says which' };

const COVERAGE = 'docs/reference/spec-coverage.md';
const JEST = resolve('node_modules/jest/bin/jest.js');
const TOOLS = resolve('tools/execution');
const read = (file) => readFileSync(file, 'utf8');

export async function run({ options: { only }, held, log }) {
  await bootstrap({ held, log });
  const { executionFaults, executionPlan, mutantsOfUncalled, specsOf } =
    await import('../checks/coverage-execution.mjs');
  const plan = executionPlan(read(COVERAGE), read, only);
  const folder = join(tmpdir(), 'spec-coverage');
  mkdirSync(join(folder, 'calls'), { recursive: true });
  const specs = specsOf(plan.rows.flatMap(({ tests }) => tests));
  log(`${specs.length} specs, ${plan.mutants.length} changed values`);
  const results = await runJest(held, folder, jestConfig(folder, plan, plan.mutants, specs));
  const calls = Object.fromEntries(readdirSync(join(folder, 'calls')).map((file) => JSON.parse(read(join(folder, 'calls', file)))).map(({ spec, called }) => [spec, called])); // prettier-ignore
  const uncalled = mutantsOfUncalled(plan, calls, results);
  log(`${uncalled.length} changed functions that no test calls by itself`);
  if (uncalled.length > 0) results.push(...(await runJest(held, folder, jestConfig(folder, plan, uncalled))));
  const { faults, called, noticed, byEndToEnd } = executionFaults(plan, calls, results); // prettier-ignore
  faults.forEach((fault) => console.error(`${COVERAGE}:${fault}`));
  console.log(`${called} symbols called, ${noticed} noticed when changed, ${byEndToEnd} run by end-to-end tests only, ${faults.length} faults`); // prettier-ignore
  return faults.length === 0 ? 0 : 1;
}

/** Jest's exit code says nothing here: tests must fail on the mutants. */
async function runJest(held, folder, settings) {
  const config = join(folder, 'jest.config.json');
  writeFileSync(config, JSON.stringify(settings));
  const env = { ...process.env, UNIT: '1', SPEC_COVERAGE_DIR: join(folder, 'calls') };
  await held.start(process.execPath, [JEST, '--config', config, '--maxWorkers=2'], { env, onLine: () => {} }).exited;
  return JSON.parse(read(join(folder, 'results.json')));
}

/** Makes a Jest project for the unchanged code with `specs`, and one for each mutant with the specs of its rows. */
function jestConfig(folder, { rows }, mutants, specs) {
  const { testTimeout, ...preset } = createRequire(import.meta.url)('../../jest.preset.cjs');
  const transform = Object.fromEntries(
    Object.entries(preset.transform).map(([pattern, [, settings]]) => [pattern, [join(TOOLS, 'mutating-transform.cjs'), settings]]), // prettier-ignore
  );
  const project = (displayName, files, more) => ({
    ...preset,
    rootDir: process.cwd(),
    displayName,
    transform,
    testMatch: files.map((spec) => `<rootDir>/${spec}`),
    ...more,
  });
  const titles = {};
  for (const { spec, fragment } of rows.flatMap(({ tests }) => tests)) (titles[spec] ??= []).push(fragment);
  const changed = mutants.map(({ id, file, text, specs: files }, at) => {
    const path = join(folder, `mutant-${at}.ts`);
    writeFileSync(path, text);
    return project(id, files, {
      globals: { titles, mutant: { file, path } },
      testEnvironment: join(TOOLS, 'named-tests-environment.cjs'),
    });
  });
  const recorded = { globals: { titles }, setupFilesAfterEnv: [join(TOOLS, 'record-execution.cjs')] };
  return {
    testTimeout,
    rootDir: process.cwd(),
    projects: [...(specs ? [project('base', specs, recorded)] : []), ...changed],
    reporters: [[join(TOOLS, 'results-reporter.cjs'), { outputFile: join(folder, 'results.json') }]],
  };
}
