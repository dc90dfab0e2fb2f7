/**
 * `npm run bench -- NAME [--only PART] [--json] [--strict]`: ours against its peers, in one run, on a Kafka and a Redis of this run or of
 * KAFKA_BROKERS and REDIS_URL. A target that is not met is told and is no failure unless `--strict`.
 */
import { fileURLToPath } from 'node:url';
import { bootstrap } from './bootstrap.mjs';
import { startInfrastructure } from './infra.mjs';
import { runTool } from './processes.mjs';
import { createLog } from './progress.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const args = process.argv.slice(2);
const log = createLog();
const MAIN = 'bench/dist/main.js';
const UNKNOWN = 2;
/** Its figures go to stdout; progress, warnings and errors to stderr. */
const isFigure = args.includes('--json') ? (line) => line.startsWith('{') : (line) => !/^\[ *\d+ s\] /.test(line);
const tell = (line) => (isFigure(line) ? console.log(line) : console.error(line));

await runTool(async ({ held }) => {
  await bootstrap({ held, log });
  const bench = (more, env) =>
    held.start(process.execPath, [MAIN, ...args, ...more], { env: { ...process.env, ...env }, onLine: tell }).exited;
  if ((await bench(['--check'])) !== 0) return UNKNOWN;
  const { brokers, redisUrl } = await startInfrastructure({ held, log });
  const outcome = await bench([], { KAFKA_BROKERS: brokers, REDIS_URL: redisUrl });
  return typeof outcome === 'number' ? outcome : 1;
});
