/** Provides Kafka, Redis and PostgreSQL for demo, stack, tests, bench and faults: from the environment, else from Docker, else as child processes. */
import { isEngineThere, startKafkaContainer, startRedisContainer } from './docker.mjs';
import { areKafkaJarsThere, startKafka } from './kafka.mjs';
import { canInstall, ensurePackages, PACKAGES } from './packages.mjs';
import { freePorts } from './ports.mjs';
import { startPostgres } from './postgres.mjs';
import { isRedisFromJarThere, startRedis } from './redis.mjs';

/**
 * Resolves to `{ brokers, redisUrl, processes }`. `ports` is `{ kafka, redis }`; missing ones are free ports. `held` ends the processes.
 * `isMeasured`: Kafka's Java is as people run it (an image's always is), not quick to start.
 */
export async function startInfrastructure({ held, log, ports = {}, isMeasured = false }) {
  const { KAFKA_BROKERS: brokers, REDIS_URL: redisUrl } = process.env;
  const docker = !(brokers && redisUrl) && isEngineThere();
  if (!docker) await ensurePackages(packagesFor({ kafka: !brokers, redis: !redisUrl }), { held, log });
  const [kafkaPort, controllerPort, redisPort] = await freePorts(3);
  const begun = performance.now();
  const started = async (what, starting) => {
    const one = await starting;
    log(`${what} on ${one.brokers ?? one.redisUrl} (${((performance.now() - begun) / 1000).toFixed(1)} s)`);
    return one;
  };
  const startBroker = docker ? startKafkaContainer : startKafka;
  const startStore = docker ? startRedisContainer : startRedis;
  const [store, broker] = await Promise.all([
    redisUrl ? { redisUrl } : started('Redis', startStore({ held, log, port: ports.redis ?? redisPort })),
    brokers
      ? { brokers }
      : started('Kafka', startBroker({ held, log, port: ports.kafka ?? kafkaPort, controllerPort, isMeasured })),
  ]);
  const processes = [broker.process, store.process].filter(Boolean);
  return { brokers: broker.brokers, redisUrl: store.redisUrl, processes };
}

/** Resolves to `{ databaseUrl, process }`, without a process where the environment names a PostgreSQL. */
export async function startDatabase({ held, log, port }) {
  const { DATABASE_URL: given } = process.env;
  if (given) return { databaseUrl: given };
  const begun = performance.now();
  const started = await startPostgres({ held, log, port: port ?? (await freePorts(1))[0] });
  log(`PostgreSQL on ${started.databaseUrl} (${((performance.now() - begun) / 1000).toFixed(1)} s)`);
  return started;
}

/** As `startDatabase`; undefined where it can not be started: all services but operations run without it. */
export async function startDatabaseIfAny(options) {
  try {
    return await startDatabase(options);
  } catch (error) {
    options.log(`${error.message}; operations is left out`);
    return undefined;
  }
}

/** Returns the packages that the machine needs; Maven only while something must still be fetched. */
export function packagesFor({ kafka, redis }) {
  const redisPackage = PACKAGES.redis.isThere() || canInstall() ? 'redis' : undefined;
  const fetchesKafka = kafka && !areKafkaJarsThere();
  const fetchesRedis = redis && !redisPackage && !isRedisFromJarThere();
  return [kafka && 'java', (fetchesKafka || fetchesRedis) && 'maven', redis && redisPackage].filter(Boolean);
}
