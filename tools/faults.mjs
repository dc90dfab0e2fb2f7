/**
 * `npm run faults -- [--runs N] [--seed S] [--only NAME] [--list]`: real faults against the built services on a Kafka and a Redis of their own.
 * `-- --simulated`: seeded worlds over the real cores; `-- --mutants [--only NAME]`: planted bugs that these worlds must find;
 * `-- --forgeries`: forged notifications and slow clients. `--json`: the last line is one JSON object. Ends with 1 if anything happened
 * that never must.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bootstrap } from './bootstrap.mjs';
import { packagesFor } from './infra.mjs';
import { brokerSettings, clusterId, kafkaCommand } from './kafka.mjs';
import { ensurePackages } from './packages.mjs';
import { freePorts } from './ports.mjs';
import { runTool } from './processes.mjs';
import { createLog } from './progress.mjs';
import { redisArguments, redisCommand } from './redis.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const { values: options } = parseArgs({
  options: {
    simulated: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    forgeries: { type: 'boolean', default: false },
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
 * How to start Kafka and Redis, each on its port: whoever kills and restarts them must be the one who starts them. One that the
 * environment names is used as it is.
 */
async function commandLines({ held, log }) {
  const { KAFKA_BROKERS: brokers, REDIS_URL: redisUrl } = process.env;
  const [kafkaPort, controllerPort, redisPort] = await freePorts(3);
  const folder = held.folder('tranche-faults-');
  await ensurePackages(packagesFor({ kafka: !brokers, redis: !redisUrl }), { held, log });
  return {
    folder,
    kafka: brokers
      ? { brokers }
      : {
          brokers: `127.0.0.1:${kafkaPort}`,
          java: await kafkaCommand({ held, log }),
          settings: brokerSettings({ port: kafkaPort, controllerPort, folder: 'FOLDER' }),
          clusterId: clusterId(),
        },
    redis: redisUrl
      ? { url: redisUrl }
      : {
          url: `redis://127.0.0.1:${redisPort}`,
          command: await redisCommand({ held, log }),
          args: redisArguments({ port: redisPort, folder: 'FOLDER' }),
        },
  };
}
