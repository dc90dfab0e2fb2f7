import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { countResults, lastLine, secondsText } from '../checks/test-results.mjs';
import { bootstrap, isInstalled } from '../infra/bootstrap.mjs';
import { startDatabaseIfAny, startInfrastructure } from '../infra/infrastructure.mjs';
import { ensurePackages } from '../infra/packages.mjs';
import { wholeNumber } from './values.mjs';
import { CHROMIUM, DATABASE, INFRASTRUCTURE } from './variables.mjs';

const JEST = resolve('node_modules/jest/bin/jest.js');
/** End-to-end tests wait for other processes half of the time, so one worker more than processors keeps them busy. */
const WORKERS = Math.min(4, availableParallelism() + 1);
/** A worker that holds more is replaced after its file: the module registries that Jest keeps would slow down every later file. */
const WORKER_MEMORY = '400MB';
/**
 * Each test file loads its modules anew. A large young generation saves Jest's workers, which inherit the option, a tenth of their
 * processor time.
 */
const YOUNG_GENERATION = '--max-semi-space-size=64';
const CACHE = '--cacheDirectory=node_modules/.cache/jest';
/** Jest says `Unrecognized option "x"` for one, and `Following options were not recognized: ["x", "y"]` for several. */
const WRONG_OPTIONS = /(?:Unrecognized option|options were not recognized:)\s*(\[[^\]]*\]|"[^"]+")/;

export const description =
  'units, and every promise end to end on a real Kafka, Redis and Chromium; the last line is `N passed, N failed`';

export const options = {
  all: { help: 'also what is long, exotic or measures time and memory (*.nightly.e2e.spec.*), as `npm run test:all`' },
  'keep-seconds': { help: 'writes jest.seconds.json, by which a fresh clone begins with the longest files' },
};
const OWN = Object.keys(options).map((name) => `--${name}`);
export const passesOn = 'Jest (a folder, -t NAME …; npx jest --help)';

export const variables = {
  ...INFRASTRUCTURE,
  ...DATABASE,
  ...CHROMIUM,
  SIMULATED_SEED: { help: "where the simulated worlds begin (default: the commit's)", check: wholeNumber() },
};

export const exitCodes = { 0: 'all tests passed', 1: 'a test failed or could not run' };

/**
 * Options that Jest does not know are reported before Kafka is started. A fresh clone has no Jest yet, so there Jest itself reports them
 * later.
 */
export function fault({ args: given }) {
  const args = withoutOwn(given);
  if (!args.some((arg) => arg.startsWith('-')) || !isInstalled()) return undefined;
  const { stderr } = listTests(args);
  const [, named = '[]'] = WRONG_OPTIONS.exec(stderr) ?? [];
  const unknown = [JSON.parse(named)].flat().map((name) => (name.length > 1 ? `'--${name}'` : `'-${name}'`));
  return unknown.length > 0 ? `Unknown option ${unknown.join(', ')}` : undefined;
}

export async function run({ options: { all, 'keep-seconds': keepsSeconds }, args, held, log }) {
  const jestArguments = withoutOwn(args);
  let counts = { passed: 0, failed: 1 };
  try {
    const [{ brokers, redisUrl }] = await Promise.all([startInfrastructure({ held, log }), bootstrap({ held, log })]);
    // Only the specs that need PostgreSQL fail where it can not be started. Its binaries are there once the packages are.
    const database = await startDatabaseIfAny({ held, log });
    const suite = all || jestArguments.some((arg) => arg.includes('nightly')) ? { NIGHTLY: '1' } : {};
    // The names of specs say whether they need a browser.
    if (listTests(jestArguments, suite).stdout.includes('.browser.')) await ensurePackages(['chromium'], { held, log });
    const areSchemasCurrent = await checkSchemas(held, log);
    const seed = process.env.SIMULATED_SEED || String(commitSeed());
    log(`simulated worlds begin at seed ${seed} (repeat with SIMULATED_SEED=${seed})`);
    const infrastructure = {
      KAFKA_BROKERS: brokers,
      REDIS_URL: redisUrl,
      ...(database && { DATABASE_URL: database.databaseUrl }),
    };
    const env = { ...process.env, ...suite, ...infrastructure, SIMULATED_SEED: seed };
    const result = await runJest(held, jestArguments, env);
    if (keepsSeconds && result.report) writeFileSync('jest.seconds.json', secondsText(result.report));
    counts = countResults({ ...result, areSchemasCurrent });
  } catch (error) {
    console.error(error.message);
  }
  console.log(lastLine(counts));
  return counts.failed === 0 ? 0 : 1;
}

function listTests(args, more) {
  const env = { ...process.env, ...more, NO_COLOR: '1' };
  return spawnSync(process.execPath, [JEST, '--listTests', CACHE, ...args], { encoding: 'utf8', env });
}

function withoutOwn(args) {
  return args.filter((arg) => !OWN.includes(arg));
}

/** Jest's output is passed to stderr at once; its numbers come from the file that it writes. */
async function runJest(held, jestArguments, env) {
  const outputFile = join(tmpdir(), 'results.json');
  const settings = ['--json', `--outputFile=${outputFile}`, `--maxWorkers=${WORKERS}`, CACHE];
  const memory = `--workerIdleMemoryLimit=${WORKER_MEMORY}`;
  const args = [YOUNG_GENERATION, JEST, ...settings, memory, ...jestArguments];
  const colours = process.stderr.isTTY ? { FORCE_COLOR: '1' } : {};
  const onLine = (line) => line.startsWith('{"numFailedTestSuites"') || console.error(line);
  const exitCode = await held.start(process.execPath, args, { env: { ...env, ...colours }, onLine }).exited;
  return { exitCode, report: existsSync(outputFile) ? JSON.parse(readFileSync(outputFile, 'utf8')) : undefined };
}

async function checkSchemas(held, log) {
  const onLine = (line) => log(line);
  return (
    (await held.start(process.execPath, ['tools/dev.mjs', 'generate-schemas', '--check'], { onLine }).exited) === 0
  );
}

const SEEDS = 1_000_000_000;

/** The seed changes with the commit: each commit tries other worlds, and a rerun tries the same ones. It is random without git. */
function commitSeed() {
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' });
  return stdout ? Number.parseInt(stdout.slice(0, 12), 16) % SEEDS : randomInt(SEEDS);
}
