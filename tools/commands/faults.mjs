import { availableParallelism } from 'node:os';
import profiles from '../../verification/simulation/profiles.json' with { type: 'json' };
import { bootstrap } from '../infra/bootstrap.mjs';
import { packagesFor, startDatabase } from '../infra/infrastructure.mjs';
import { brokerSettings, clusterId, clusterSettings, kafkaCommand } from '../infra/kafka.mjs';
import { ensurePackages } from '../infra/packages.mjs';
import { freePorts } from '../infra/ports.mjs';
import { redisArguments, redisCommand } from '../infra/redis.mjs';
import { builtClone, oneOf, wholeNumber } from './values.mjs';
import { DATABASE, INFRASTRUCTURE } from './variables.mjs';

const WORKERS = 2;
const MOST_WORKERS = 8;
export const PROFILES = Object.keys(profiles);
const GOES_WITH = {
  orders: 'amounts',
  minutes: 'kill-anywhere',
  'per-second': 'kill-anywhere',
  profile: 'simulated',
  rate: 'soak',
  beside: 'soak',
  markdown: 'soak',
};
const MODES = ['amounts', 'simulated', 'mutants', 'kill-anywhere', 'soak'];

export const description =
  'crash points and faults against the built services on a real Kafka and Redis, judged by what the platform executed';

export const options = {
  runs: { value: 'N', help: 'how many', check: wholeNumber({ min: 1 }) },
  seed: { value: 'S', help: 'repeats a run; without it one is drawn and told', check: wholeNumber() },
  workers: {
    value: 'N',
    help: `how many at a time, ${MOST_WORKERS} at most (default: ${WORKERS})`,
    check: wholeNumber({ min: 1 }),
  },
  only: { value: 'NAME', help: 'one scenario, or with --mutants one planted bug' },
  list: { help: 'names the scenarios' },
  amounts: { help: 'seeded orders: the sums over their events beside the ledger of the platform' },
  orders: { value: 'N', help: 'how many, of --amounts (default: 20000)', check: wholeNumber({ min: 1 }) },
  simulated: { help: 'seeded worlds over the real cores instead' },
  profile: {
    value: 'NAME',
    help: `of the simulated worlds: ${PROFILES.join(', ')}, or all of them with --runs worlds each (default: plain)`,
    check: oneOf([...PROFILES, 'all']),
  },
  mutants: { help: 'planted bugs that the simulated worlds must find' },
  'kill-anywhere': { help: 'kills at random moments of a steady load' },
  minutes: { value: 'M', help: 'of --kill-anywhere (default: 3)', check: wholeNumber({ min: 1 }) },
  'per-second': {
    value: 'N',
    help: 'commands, of --kill-anywhere (default: 100)',
    check: wholeNumber({ min: 1 }),
  },
  soak: {
    value: 'M',
    help: 'minutes of a steady load with a fault in each, operations and PostgreSQL beside it',
    check: wholeNumber({ min: 1 }),
  },
  rate: {
    value: 'N',
    help: 'commands a second of --soak (default: 60 % of what is measured)',
    check: wholeNumber({ min: 1, max: 300 }),
  },
  beside: {
    value: 'FOLDER',
    help: 'of --soak: a built clone of another release; every second gateway is one of it',
    check: builtClone,
  },
  markdown: { help: 'of --soak: prints its table as Markdown' },
  brokers: {
    value: 'N',
    help: 'faults of one of so many brokers, 3: killed, frozen, disk full (as root), controller changed, all restarted; with --soak three gateways and two operations',
    check: oneOf(['3']),
  },
  json: { help: 'the last line is one JSON object' },
};

export const variables = {
  ...INFRASTRUCTURE,
  ...DATABASE,
  RULES_VERSION: {
    help: 'of --soak: what its gateways write, which the release of --beside must know',
    check: wholeNumber({ min: 1 }),
  },
};
export const exitCodes = { 0: 'nothing happened that never must', 1: 'something did, or it could not be tried' };

export function fault({ options: given }) {
  const modes = MODES.filter((mode) => given[mode]).map((mode) => `--${mode}`);
  if (modes.length > 1) return `choose one of ${modes.join(', ')}`;
  if (given.brokers && modes.length > 0 && !given.soak) return `--brokers does not go with ${modes[0]}`;
  if (given.brokers && process.env.KAFKA_BROKERS) return '--brokers needs a Kafka of its own: unset KAFKA_BROKERS';
  if (given.soak && (process.env.KAFKA_BROKERS || process.env.REDIS_URL))
    return '--soak kills its Kafka and Redis: unset KAFKA_BROKERS and REDIS_URL';
  for (const [name, mode] of Object.entries(GOES_WITH))
    if (given[name] && !given[mode]) return `--${name} goes with --${mode}`;
  return given.only && modes.length > 0 && !given.mutants ? `--only does not go with ${modes[0]}` : undefined;
}

export async function run({ options: given, args, held, log }) {
  await bootstrap({ held, log });
  const database = given.soak ? await startDatabase({ held, log }) : undefined;
  const needsInfrastructure = !given.amounts && !given.simulated && !given.mutants && !given.list;
  const env = {
    ...process.env,
    ...(database && { DATABASE_URL: database.databaseUrl }),
    ...(needsInfrastructure && {
      FAULTS_INFRASTRUCTURE: JSON.stringify(await commandLines({ options: given, held, log })),
    }),
  };
  const isResult = (line, stream) => stream === 'stdout' && (!given.json || line.startsWith('{"'));
  const onLine = (line, stream) => (isResult(line, stream) ? console.log(line) : console.error(line));
  return held.start(process.execPath, ['verification/dist/main.js', ...args], { env, onLine }).exited;
}

/**
 * Each worker starts its own Kafka and Redis, on its own ports and in its own folder, because only the process that starts them can kill
 * and restart them. Addresses from the environment are used as they are.
 */
async function commandLines({ options, held, log }) {
  const { KAFKA_BROKERS: brokers, REDIS_URL: redisUrl } = process.env;
  await ensurePackages(packagesFor({ kafka: !brokers, redis: !redisUrl }), { held, log });
  const java = brokers ? undefined : await kafkaCommand({ held, log });
  const command = redisUrl ? undefined : await redisCommand({ held, log });
  const places = [];
  for (let count = workersFor(options, { isShared: Boolean(brokers || redisUrl) }); count > 0; count--) {
    const size = Number(options.brokers ?? 1);
    const [redisPort, ...kafkaPorts] = await freePorts(1 + 2 * size);
    places.push({
      folder: held.folder('tranche-faults-'),
      kafka: brokers ? { brokers } : ownKafka(size, java, kafkaPorts, !options.soak),
      redis: redisUrl ? { url: redisUrl } : ownRedis(command, redisPort),
    });
  }
  return places;
}

function ownKafka(size, java, free, hasSmallDisk) {
  const ports = Array.from({ length: size }, () => ({ port: free.pop(), controllerPort: free.pop() }));
  const settingsOf = (at) =>
    size === 1 ? brokerSettings({ ...ports[0], folder: 'FOLDER/records' }) : clusterSettings(at, ports);
  return {
    brokers: ports.map(({ port }) => `127.0.0.1:${port}`).join(','),
    own: {
      ...{ java, hasSmallDisk, clusterId: clusterId() },
      brokers: ports.map(({ port }, at) => ({ port, settings: settingsOf(at) })),
    },
  };
}

function ownRedis(command, port) {
  return { url: `redis://127.0.0.1:${port}`, command, args: redisArguments({ port, folder: 'FOLDER' }) };
}

function workersFor(options, { isShared }) {
  if (options['kill-anywhere'] || options.soak || options.brokers) return 1;
  const byDefault = isShared ? 1 : Math.min(WORKERS, availableParallelism());
  return Math.min(Number(options.workers ?? byDefault) || 1, MOST_WORKERS);
}
