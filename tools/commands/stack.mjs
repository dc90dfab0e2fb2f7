import { openDrillPage } from '../demo/drill-page.mjs';
import { keepLogs } from '../demo/logs.mjs';
import { makeTopics } from '../demo/stage.mjs';
import { APPS, SERVICES } from '../infra/apps.mjs';
import { bootstrap } from '../infra/bootstrap.mjs';
import { startDatabaseIfAny, startInfrastructure } from '../infra/infrastructure.mjs';
import { Expected } from '../infra/processes.mjs';
import { merchantsOfThisRun, stackPorts, takenPorts } from '../infra/service-ports.mjs';
import { addressLines, drillSettings, environments, startCommand, startService } from '../infra/services.mjs';
import { port, someOf } from './values.mjs';
import { DATABASE, INFRASTRUCTURE, LOGS, MERCHANTS_AND_ACCOUNTS, PORT_OFFSET } from './variables.mjs';

export const description = 'Kafka, Redis, PostgreSQL, the simulator and the services for development, until Ctrl-C';

export const options = {
  infra: { help: 'Kafka and Redis only' },
  without: {
    value: 'NAMES',
    help: 'leaves services out, several with commas; how each is started is printed',
    check: someOf(Object.keys(SERVICES)),
  },
  'free-ports': { help: 'takes free ports instead of the usual ones' },
  ...LOGS,
};

export const variables = {
  ...INFRASTRUCTURE,
  ...DATABASE,
  KAFKA_TOPIC_PREFIX: { help: "begins the topics' names" },
  ...MERCHANTS_AND_ACCOUNTS,
  ...PORT_OFFSET,
  KAFKA_PORT: { help: 'Kafka, usually 9092; 0 takes a free one', check: port },
  REDIS_PORT: { help: 'Redis, usually 6379; 0 takes a free one', check: port },
  POSTGRES_PORT: { help: 'PostgreSQL, usually 5432; 0 takes a free one', check: port },
};

export const exitCodes = {
  0: 'stopped',
  1: 'something could not be started, or Kafka, Redis or PostgreSQL ended by itself',
};

export const runsUntilStopped = () => true;

export async function run({ options: given, held, log }) {
  const ports = await stackPorts(process.env, { areFree: given['free-ports'] });
  await claim(ports, given);
  const starting = startInfrastructure({ held, log, ports });
  const topicPrefix = process.env.KAFKA_TOPIC_PREFIX ?? '';
  const making = async () => makeTopics(await starting, { log, topicPrefix });
  const [infrastructure] = await Promise.all([
    starting,
    given.infra ? undefined : bootstrap({ held, log, apps: APPS, whenCompiled: making }),
  ]);
  const database =
    given.infra || isLeftOut('operations', given)
      ? undefined
      : await startDatabaseIfAny({ held, log, port: ports.postgres });
  const all = { ...infrastructure, databaseUrl: database?.databaseUrl };
  if (given.infra) addressLines([], all).forEach((line) => console.log(line));
  else await startServices({ given, held, log, infrastructure: all, topicPrefix, ports: ports.services });
  log('running until Ctrl-C');
  const ends = [
    ...infrastructure.processes.map(({ exited }) => exited.then((code) => `Kafka or Redis ended with ${code}`)),
    ...(database?.process ? [database.process.exited.then((code) => `PostgreSQL ended with ${code}`)] : []),
    new Promise(() => setInterval(() => undefined, 60_000)), // keeps the process running if Kafka and Redis were started elsewhere
  ];
  throw new Expected(await Promise.race(ends));
}

/** Every port must be free, or a service would fail halfway through the start. */
async function claim(ports, { infra }) {
  const isOurs = ({ name }) => {
    if (name === 'Kafka') return !process.env.KAFKA_BROKERS;
    if (name === 'PostgreSQL') return !infra && !process.env.DATABASE_URL;
    return name === 'Redis' ? !process.env.REDIS_URL : !infra;
  };
  const taken = await takenPorts(ports, isOurs);
  if (taken.length === 0) return;
  const named = taken.map(({ port: number, name }) => `${number} of ${name}`).join(', ');
  throw new Expected(`taken ports: ${named}; end who holds them, or use --free-ports or STACK_PORT_OFFSET=1000`);
}

const isLeftOut = (name, given) => given.without?.split(',').includes(name) ?? false;

/** A service that ends later ends alone: who rehearses an incident kills one and starts it again. */
async function startServices({ given, held, log, infrastructure, topicPrefix, ports }) {
  const folder = held.folder('tranche-stack-');
  const { brokers, redisUrl, databaseUrl } = infrastructure;
  const merchantsFile = merchantsOfThisRun(process.env.MERCHANTS_FILE || 'config/merchants.demo.json', ports, folder);
  const accountsFile = process.env.ACCOUNTS_FILE || 'config/accounts.demo.json';
  const envs = environments({ ports, brokers, redisUrl, databaseUrl, topicPrefix, merchantsFile, accountsFile });
  const again = Object.fromEntries(Object.keys(envs).map((name) => [name, startCommand(name, envs[name], folder)]));
  const logs = keepLogs(given.logs);
  const start = async (name) => {
    const onWarning = (line) => console.error(line);
    const service = await startService(name, { held, env: envs[name], onWarning, onOutput: logs.outputOf(name) });
    log(`${name} is ready, process ${service.process.pid}`);
    void service.process.exited.then(
      (code) => held.isClosing() || log(`${name} ended with ${code}; it starts again by: ${again[name]}`),
    );
    return service;
  };
  const isOut = (name) => isLeftOut(name, given) || (name === 'operations' && databaseUrl === undefined);
  const services = await Promise.all(
    Object.keys(envs)
      .filter((name) => !isOut(name))
      .map(start),
  );
  const settings = drillSettings(services, { ...infrastructure, topicPrefix });
  const drillPage = settings && (await openDrillPage(settings));
  addressLines(services, { ...infrastructure, topicPrefix }, drillPage).forEach((line) => console.log(line));
  for (const name of Object.keys(envs).filter(isOut)) console.log(`${name} is left out; it starts by: ${again[name]}`);
}
