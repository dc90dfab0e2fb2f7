import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap } from '../infra/bootstrap.mjs';
import { startInfrastructure } from '../infra/infrastructure.mjs';
import { isPortFree } from '../infra/ports.mjs';
import { Expected } from '../infra/processes.mjs';
import { listedPorts, stackPorts, withPortsOfThisRun } from '../infra/service-ports.mjs';
import { addressLines, environments, SERVICES, startInOrder, startService } from '../infra/services.mjs';
import { followLog, keepStackLogs, runningStacks } from '../infra/stack-logs.mjs';
import { oneOf, port } from './values.mjs';
import { INFRASTRUCTURE, MERCHANTS_AND_ACCOUNTS, PORT_OFFSET, SERVICE_PORTS } from './variables.mjs';

export const description = 'Kafka, Redis, the simulator and the services for development, until Ctrl-C';

export const options = {
  infra: { help: 'Kafka and Redis only' },
  logs: {
    value: 'NAME',
    help: `shows what a service of the running stack prints, until Ctrl-C: ${Object.keys(SERVICES).join(', ')}`,
    check: oneOf(Object.keys(SERVICES)),
  },
};

export const variables = {
  ...INFRASTRUCTURE,
  KAFKA_TOPIC_PREFIX: { help: "begins the topics' names" },
  ...MERCHANTS_AND_ACCOUNTS,
  ...PORT_OFFSET,
  KAFKA_PORT: { help: 'Kafka, usually 9092; 0 takes a free one, and so it does with the ports below', check: port },
  REDIS_PORT: { help: 'Redis, usually 6379', check: port },
  ...SERVICE_PORTS,
};

export const exitCodes = { 0: 'stopped', 1: 'something could not be started, or ended by itself' };

export const runsUntilStopped = () => true;

export function fault({ options: given }) {
  return given.infra && given.logs ? '--logs does not go with --infra: only services have logs' : undefined;
}

export async function run({ options: given, held, signal, log }) {
  if (given.logs) return showLog(given.logs, { held, signal, log });
  const ports = await stackPorts(process.env);
  await claim(ports, given);
  const [infrastructure] = await Promise.all([
    startInfrastructure({ held, log, ports }),
    given.infra ? undefined : bootstrap({ held, log }),
  ]);
  const services = given.infra ? [] : await startServices({ held, log, infrastructure, ports: ports.services });
  addressLines(services, infrastructure).forEach((line) => console.log(line));
  log('running until Ctrl-C');
  const ends = [
    ...infrastructure.processes.map(({ exited }) => exited.then((code) => `Kafka or Redis ended with ${code}`)),
    ...services.map(({ name, process }) => process.exited.then((code) => `${name} ended with ${code}`)),
    new Promise(() => setInterval(() => undefined, 60_000)), // keeps the process running if Kafka and Redis were started elsewhere
  ];
  throw new Expected(await Promise.race(ends));
}

/** Every port must be free and used once, or a service would fail halfway through the start. */
async function claim(ports, { infra }) {
  const isOurs = ({ variable }) => {
    if (variable === 'KAFKA_PORT') return !process.env.KAFKA_BROKERS;
    return variable === 'REDIS_PORT' ? !process.env.REDIS_URL : !infra;
  };
  const wanted = listedPorts(ports).filter(isOurs);
  const same = wanted.find((one, index) => wanted.findIndex(({ port: number }) => number === one.port) < index);
  if (same)
    throw new Expected(`port ${same.port} of ${same.name} is also another's: set ${same.variable} to another one`);
  const taken = [];
  for (const one of wanted) if (!(await isPortFree(one.port))) taken.push(one);
  if (taken.length === 0) return;
  const named = taken.map(({ port: number, name }) => `${number} of ${name}`).join(', ');
  const [are, them] = taken.length === 1 ? ['is', 'it'] : ['are', 'them'];
  const ways = `set ${taken[0].variable}, or STACK_PORT_OFFSET=1000 for a second stack`;
  throw new Expected(`port ${named} ${are} taken: end who holds ${them}, or ${ways}`);
}

async function startServices({ held, log, infrastructure: { brokers, redisUrl }, ports }) {
  const merchantsFile = merchantsOfThisRun(process.env.MERCHANTS_FILE || 'config/merchants.demo.json', ports);
  const accountsFile = process.env.ACCOUNTS_FILE || 'config/accounts.demo.json';
  const all = environments({
    ports,
    brokers,
    redisUrl,
    topicPrefix: process.env.KAFKA_TOPIC_PREFIX ?? '',
    merchantsFile,
    accountsFile,
  });
  const logs = keepStackLogs(held);
  return startInOrder(async (name) => {
    const onWarning = (line) => console.error(line);
    const service = await startService(name, { held, env: all[name], onWarning, onOutput: logs.outputOf(name) });
    log(`${name} is ready`);
    return service;
  });
}

/** The platform calls back and browsers are redirected, so the merchants need the addresses of this stack. */
function merchantsOfThisRun(file, ports) {
  const text = readFileSync(file, 'utf8');
  const ours = withPortsOfThisRun(text, ports);
  if (ours === text) return file;
  const place = join(tmpdir(), 'merchants.json');
  writeFileSync(place, ours);
  return place;
}

async function showLog(name, { held, signal, log }) {
  const [pid, ...others] = runningStacks();
  if (pid === undefined) throw new Expected('no stack is running here: start one with `npm run stack`');
  if (others.length > 0)
    log(`${others.length + 1} stacks are running; this is ${name} of the last one, process ${pid}`);
  await followLog({ held, pid, name, write: (text) => process.stdout.write(text), signal });
  log('the stack has ended');
}
