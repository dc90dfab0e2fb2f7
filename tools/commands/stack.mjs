import { keepLogs } from '../demo/logs.mjs';
import { bootstrap } from '../infra/bootstrap.mjs';
import { startInfrastructure } from '../infra/infrastructure.mjs';
import { Expected } from '../infra/processes.mjs';
import { merchantsOfThisRun, stackPorts, takenPorts } from '../infra/service-ports.mjs';
import { addressLines, environments, startInOrder, startService } from '../infra/services.mjs';
import { port } from './values.mjs';
import { INFRASTRUCTURE, LOGS, MERCHANTS_AND_ACCOUNTS, PORT_OFFSET } from './variables.mjs';

export const description = 'Kafka, Redis, the simulator and the services for development, until Ctrl-C';

export const options = {
  infra: { help: 'Kafka and Redis only' },
  'free-ports': { help: 'takes free ports instead of the usual ones' },
  ...LOGS,
};

export const variables = {
  ...INFRASTRUCTURE,
  KAFKA_TOPIC_PREFIX: { help: "begins the topics' names" },
  ...MERCHANTS_AND_ACCOUNTS,
  ...PORT_OFFSET,
  KAFKA_PORT: { help: 'Kafka, usually 9092; 0 takes a free one', check: port },
  REDIS_PORT: { help: 'Redis, usually 6379; 0 takes a free one', check: port },
};

export const exitCodes = { 0: 'stopped', 1: 'something could not be started, or ended by itself' };

export const runsUntilStopped = () => true;

export async function run({ options: given, held, log }) {
  const ports = await stackPorts(process.env, { areFree: given['free-ports'] });
  await claim(ports, given);
  const [infrastructure] = await Promise.all([
    startInfrastructure({ held, log, ports }),
    given.infra ? undefined : bootstrap({ held, log }),
  ]);
  const services = given.infra
    ? []
    : await startServices({ held, log, infrastructure, ports: ports.services, logs: keepLogs(given.logs) });
  addressLines(services, infrastructure).forEach((line) => console.log(line));
  log('running until Ctrl-C');
  const ends = [
    ...infrastructure.processes.map(({ exited }) => exited.then((code) => `Kafka or Redis ended with ${code}`)),
    ...services.map(({ name, process }) => process.exited.then((code) => `${name} ended with ${code}`)),
    new Promise(() => setInterval(() => undefined, 60_000)), // keeps the process running if Kafka and Redis were started elsewhere
  ];
  throw new Expected(await Promise.race(ends));
}

/** Every port must be free, or a service would fail halfway through the start. */
async function claim(ports, { infra }) {
  const isOurs = ({ name }) => {
    if (name === 'Kafka') return !process.env.KAFKA_BROKERS;
    return name === 'Redis' ? !process.env.REDIS_URL : !infra;
  };
  const taken = await takenPorts(ports, isOurs);
  if (taken.length === 0) return;
  const named = taken.map(({ port: number, name }) => `${number} of ${name}`).join(', ');
  throw new Expected(`taken ports: ${named}; end who holds them, or use --free-ports or STACK_PORT_OFFSET=1000`);
}

async function startServices({ held, log, infrastructure: { brokers, redisUrl }, ports, logs }) {
  const merchants = process.env.MERCHANTS_FILE || 'config/merchants.demo.json';
  const envs = environments({
    ports,
    brokers,
    redisUrl,
    topicPrefix: process.env.KAFKA_TOPIC_PREFIX ?? '',
    merchantsFile: merchantsOfThisRun(merchants, ports, held.folder('tranche-stack-')),
    accountsFile: process.env.ACCOUNTS_FILE || 'config/accounts.demo.json',
  });
  return startInOrder(async (name) => {
    const onWarning = (line) => console.error(line);
    const service = await startService(name, { held, env: envs[name], onWarning, onOutput: logs.outputOf(name) });
    log(`${name} is ready`);
    return service;
  });
}
