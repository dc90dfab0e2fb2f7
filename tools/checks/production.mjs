/**
 * Checks that an environment is fit for production: production mode's rules for the settings, then broker, topics and Redis if they can be
 * reached. It starts nothing.
 */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import 'reflect-metadata';
import { configOf } from '../infra/apps.mjs';
import { built } from '../infra/built.mjs';
import { isPortOpen } from '../infra/ports.mjs';

const REACH_MS = 10_000;

/**
 * Returns `{ name, required, fault }` for each check. An address that cannot be reached from here is only a note: a service elsewhere may
 * reach it.
 */
export async function productionChecks(services, env) {
  const checks = [];
  for (const service of services) checks.push(...(await checksOf(service, env)));
  return checks;
}

async function checksOf(service, env) {
  const { readServiceSettings } = await built('libs/service-kit/dist/index.js');
  const settings = readServiceSettings(await configOf(service), env, { isProduction: true });
  const faults = settings.faults.map((one) => ({ name: `${service} ${one.name}`, required: true, fault: one.message }));
  if (settings.config.topics !== 'check')
    faults.push({ name: `${service} TOPICS`, required: true, fault: 'must be check: nothing is refused without it' });
  if (faults.length === 0) faults.push({ name: `${service} settings`, required: true, fault: undefined });
  return [...faults, ...(await kafkaChecks(service, settings)), ...(await redisChecks(service, settings))];
}

async function kafkaChecks(service, { config, faults }) {
  if (!config.kafkaBrokers || faults.some(({ name }) => name.startsWith('KAFKA_'))) return [];
  const name = `${service} topics`;
  if (!(await isOneReached(config.kafkaBrokers))) return [notReached(name, 'the brokers of KAFKA_BROKERS')];
  const { checkTopics, createKafkaClient } = await built('libs/kafka/dist/index.js');
  const { topicsOf } = await built('libs/contracts/dist/index.js');
  const { silentLog } = await built('libs/runtime/dist/index.js');
  try {
    const client = createKafkaClient({ ...config.kafka, clientId: 'doctor' }, silentLog);
    const found = await checkTopics(client, {
      prefix: config.kafkaTopicPrefix,
      definitions: topicsOf(service),
      production: true,
    });
    if (found.length === 0) return [{ name, required: true, fault: undefined }];
    return found.map(({ topic, message, severity }) => ({
      name: `${service} ${topic}`,
      required: severity === 'fault',
      fault: message,
    }));
  } catch (error) {
    return [{ name, required: true, fault: `cannot be read: ${error.message}` }];
  }
}

/** Connects as the service does, also to a cluster or through sentinels. */
async function redisChecks(service, { config: { redisUrl: url }, kit, faults }) {
  if (!url || faults.some(({ name }) => name.startsWith('REDIS_'))) return [];
  const name = `${service} Redis`;
  const { RedisClient } = await built('libs/service-kit/dist/index.js');
  const { silentLog } = await built('libs/runtime/dist/index.js');
  const { redisTopology: topology, redisCaFile: caFile } = kit;
  const nodes = topology.clusterNodes ?? topology.sentinels?.nodes ?? [`${url.hostname}:${url.port || 6379}`];
  if (!(await isOneReached(nodes))) return [notReached(name, `the Redis at ${nodes.join(', ')}`)];
  const client = new RedisClient({ ...topology, ...(caFile && { caFile }), url, name: 'doctor', log: silentLog });
  try {
    // The timer must not keep the process alive after the check.
    const tooLate = delay(REACH_MS, undefined, { ref: false });
    const isReady = await Promise.race([once(client, 'ready').then(() => true), tooLate]);
    let fault;
    if (!isReady) await client.sendToEach(['PING']).catch(({ message }) => (fault = message));
    else if (service === 'payment-gateway') fault = await faultOfIndex(client);
    return [{ name, required: true, fault }];
  } finally {
    await client.close();
  }
}

/** The gateway makes the same check at its start: a Redis that evicts keys, or writes no append-only file, could lose index entries. */
async function faultOfIndex(client) {
  const { faultOfRedis, readRedisReport } = await built('apps/payment-gateway/dist/journal/redis-report.js');
  try {
    const answers = await client.sendToEach(['INFO']);
    const reports = answers.map(({ address, answer }) => readRedisReport(address, answer));
    return faultOfRedis(reports, { isProduction: true });
  } catch ({ message }) {
    return `does not answer INFO (${message}): allow that command to the user of the gateway`;
  }
}

const notReached = (name, what) => ({
  name,
  required: false,
  fault: `not checked: ${what} cannot be reached from here`,
});

async function isOneReached(addresses) {
  const answers = addresses.map((address) => {
    const [, host, port] = /^\[?(.*?)\]?:(\d+)$/.exec(address);
    return isPortOpen(Number(port), host, REACH_MS);
  });
  return (await Promise.all(answers)).includes(true);
}
