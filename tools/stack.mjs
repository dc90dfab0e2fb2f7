/** `npm run stack`: infrastructure, simulator and services for development until Ctrl-C; `-- --infra`: Kafka and Redis only. */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bootstrap } from './bootstrap.mjs';
import { startInfrastructure } from './infra.mjs';
import { freePorts, isPortFree } from './ports.mjs';
import { Expected, runTool } from './processes.mjs';
import { createLog } from './progress.mjs';
import { addressLines, environments, SERVICES, startInOrder, startService } from './services.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const { values: options } = parseArgs({ options: { infra: { type: 'boolean', default: false } } });
const log = createLog();

await runTool(
  async ({ held }) => {
    const ports = await infrastructurePorts();
    if (!options.infra) await claimServicePorts();
    const [infrastructure] = await Promise.all([
      startInfrastructure({ held, log, ports }),
      options.infra ? undefined : bootstrap({ held, log }),
    ]);
    const { brokers, redisUrl } = infrastructure;
    const services = options.infra ? [] : await startServices(held, infrastructure);
    addressLines(services, { brokers, redisUrl }).forEach((line) => console.log(line));
    log('running until Ctrl-C');
    const ends = [
      ...infrastructure.processes.map(({ exited }) => exited.then((code) => `Kafka or Redis ended with ${code}`)),
      ...services.map(({ name, process }) => process.exited.then((code) => `${name} ended with ${code}`)),
      new Promise(() => setInterval(() => undefined, 60_000)), // given from outside, there may be nothing to wait for
    ];
    throw new Expected(await Promise.race(ends));
  },
  { runsUntilStopped: true },
);

/** Kafka and Redis on their usual ports, so that an app started by hand finds them; KAFKA_PORT, REDIS_PORT: others, 0 a free one. */
async function infrastructurePorts() {
  const [anyKafka, anyRedis] = await freePorts(2);
  const kafka = Number(process.env.KAFKA_PORT ?? 9092) || anyKafka;
  const redis = Number(process.env.REDIS_PORT ?? 6379) || anyRedis;
  const wanted = [!process.env.KAFKA_BROKERS && ['Kafka', 'KAFKA_PORT', kafka], !process.env.REDIS_URL && ['Redis', 'REDIS_PORT', redis]];
  for (const [what, variable, port] of wanted.filter(Boolean)) {
    if (!(await isPortFree(port))) throw new Expected(`port ${port} of ${what} is taken: end who holds it, or set ${variable}`);
  }
  return { kafka, redis };
}

async function claimServicePorts() {
  const taken = [];
  for (const [name, { port, managementPort }] of Object.entries(SERVICES)) {
    for (const number of [port, managementPort].filter(Boolean)) if (!(await isPortFree(number))) taken.push(`${number} (${name})`);
  }
  if (taken.length > 0) throw new Expected(`these ports are taken: ${taken.join(', ')}`);
}

async function startServices(held, { brokers, redisUrl }) {
  const merchantsFile = process.env.MERCHANTS_FILE ?? 'config/merchants.demo.json';
  const accountsFile = process.env.ACCOUNTS_FILE ?? 'config/accounts.demo.json';
  const topicPrefix = process.env.KAFKA_TOPIC_PREFIX ?? '';
  const all = environments({ ports: SERVICES, brokers, redisUrl, topicPrefix, merchantsFile, accountsFile });
  return startInOrder(async (name) => {
    const service = await startService(name, { held, env: all[name], onWarning: (line) => console.error(line) });
    log(`${name} is ready`);
    return service;
  });
}
