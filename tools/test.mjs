/**
 * `npm test`: everything there is to test, from a fresh clone: packages, build, Kafka, Redis, Chromium, then Jest over all projects.
 * Arguments go to Jest. The last line is `N passed, N failed`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bootstrap } from './bootstrap.mjs';
import { startInfrastructure } from './infra.mjs';
import { ensurePackages } from './packages.mjs';
import { runTool } from './processes.mjs';
import { createLog } from './progress.mjs';
import { countResults, lastLine } from './test-results.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const jestArguments = process.argv.slice(2);
const log = createLog();

await runTool(async ({ held }) => {
  let counts = { passed: 0, failed: 1 };
  try {
    const [{ brokers, redisUrl }] = await Promise.all([startInfrastructure({ held, log }), bootstrap({ held, log })]);
    if (await needsBrowser(held)) await ensurePackages(['chromium'], { held, log });
    const areSchemasCurrent = await checkSchemas(held);
    const results = await runJest(held, { ...process.env, KAFKA_BROKERS: brokers, REDIS_URL: redisUrl });
    counts = countResults({ ...results, areSchemasCurrent });
  } catch (error) {
    console.error(error.message);
  }
  console.log(lastLine(counts));
  return counts.failed === 0 ? 0 : 1;
});

/** Whether a spec that Jest is going to run starts a browser: they are named for it. */
async function needsBrowser(held) {
  const specs = [];
  const onLine = (line) => specs.push(line);
  await held.start(process.execPath, [resolve('node_modules/jest/bin/jest.js'), '--listTests', ...jestArguments], { onLine }).exited;
  return specs.some((spec) => spec.endsWith('.browser.e2e.spec.ts'));
}

/**
 * Jest's own words go to stderr as they come; its numbers come from the file it writes. What tests leave in the temporary folder goes with
 * it.
 */
async function runJest(held, env) {
  const temporary = held.folder('tranche-test-');
  const outputFile = join(temporary, 'results.json');
  const settings = ['--json', `--outputFile=${outputFile}`, '--maxWorkers=2', '--cacheDirectory=node_modules/.cache/jest'];
  const args = [resolve('node_modules/jest/bin/jest.js'), ...settings, ...jestArguments];
  const colours = process.stderr.isTTY ? { FORCE_COLOR: '1' } : {};
  const onLine = (line) => line.startsWith('{"numFailedTestSuites"') || console.error(line);
  const exitCode = await held.start(process.execPath, args, { env: { ...env, ...colours, TMPDIR: temporary }, onLine }).exited;
  return { exitCode, report: existsSync(outputFile) ? JSON.parse(readFileSync(outputFile, 'utf8')) : undefined };
}

async function checkSchemas(held) {
  const onLine = (line) => log(line);
  return (await held.start(process.execPath, ['tools/generate-schemas.mjs', '--check'], { onLine }).exited) === 0;
}
