/**
 * `npm run faults -- [--runs N] [--seed S] [--workers N] [--only NAME] [--list]`: real faults against the built services, on a Kafka and a Redis
 * of each worker's own.
 * `-- --simulated`: seeded worlds over the real cores; `-- --mutants [--only NAME]`: planted bugs that these worlds must find;
 * `-- --forgeries`: forged notifications and slow clients; `-- --canaries`: planted secrets, searched for in all that is left.
 * `--json`: the last line is one JSON object. Ends with 1 if anything happened that never must.
 */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bootstrap } from './bootstrap.mjs';
import { packagesFor } from './infra.mjs';
import { brokerSettings, clusterId, kafkaCommand } from './kafka.mjs';
import { ensurePackages } from './packages.mjs';
import { isPortFree } from './ports.mjs';
import { Expected, runTool } from './processes.mjs';
import { createLog } from './progress.mjs';
import { redisArguments, redisCommand } from './redis.mjs';

const WORKERS = 2;
const MOST_WORKERS = 8;
/** Below those that systems give to whoever asks for any. */
const PORTS = { from: 20_000, to: 32_000 };

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const { values: options } = parseArgs({
  options: {
    simulated: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    forgeries: { type: 'boolean', default: false },
    canaries: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    only: { type: 'string' },
    runs: { type: 'string' },
    seed: { type: 'string' },
    workers: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

await runTool(async ({ held }) => {
  const log = createLog();
  await bootstrap({ held, log });
  const needsInfrastructure = !options.simulated && !options.mutants && !options.list;
  const env = needsInfrastructure
    ? { ...process.env, FAULTS_INFRASTRUCTURE: JSON.stringify(await commandLines({ held, log })) }
    : process.env;
  const onLine = (line) => (options.json && !line.startsWith('{"') ? console.error(line) : console.log(line));
  const outcome = await held.start(process.execPath, ['faults/dist/main.js', ...process.argv.slice(2)], { env, onLine }).exited;
  return typeof outcome === 'number' ? outcome : 1;
});

/**
 * How to start Kafka and Redis of each worker, on ports and in a folder of its own: whoever kills and restarts them must be the one who
 * starts them. One that the environment names is used as it is.
 */
async function commandLines({ held, log }) {
  const { KAFKA_BROKERS: brokers, REDIS_URL: redisUrl } = process.env;
  await ensurePackages(packagesFor({ kafka: !brokers, redis: !redisUrl }), { held, log });
  const java = brokers ? undefined : await kafkaCommand({ held, log });
  const command = redisUrl ? undefined : await redisCommand({ held, log });
  const ports = keptPorts();
  const next = async () => (await ports.next()).value;
  const places = [];
  for (let count = workersFor({ isShared: Boolean(brokers || redisUrl) }); count > 0; count--) {
    const [port, controllerPort, redisPort] = [await next(), await next(), await next()];
    places.push({
      folder: held.folder('tranche-faults-'),
      kafka: brokers
        ? { brokers }
        : {
            ...{ brokers: `127.0.0.1:${port}`, java, clusterId: clusterId() },
            settings: brokerSettings({ port, controllerPort, folder: 'FOLDER' }),
          },
      redis: redisUrl
        ? { url: redisUrl }
        : { url: `redis://127.0.0.1:${redisPort}`, command, args: redisArguments({ port: redisPort, folder: 'FOLDER' }) },
    });
  }
  return places;
}

/** faults/dist/main.js refuses what is no number. */
function workersFor({ isShared }) {
  if (options.forgeries || options.canaries) return 1;
  const byDefault = isShared ? 1 : Math.min(WORKERS, availableParallelism());
  return Math.min(Number(options.workers ?? byDefault) || 1, MOST_WORKERS);
}

/** Free ports that stay free while their broker is killed: another worker's services are never given them. */
async function* keptPorts() {
  const begin = PORTS.from + Math.floor((Math.random() * (PORTS.to - PORTS.from)) / 2);
  for (let port = begin; port < PORTS.to; port++) if (await isPortFree(port)) yield port;
  throw new Expected(`no free port between ${begin} and ${PORTS.to}`);
}
