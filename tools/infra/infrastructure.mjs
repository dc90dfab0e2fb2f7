/** Provides Kafka and Redis for demo, stack, tests, bench and faults: from the environment, else from Docker, else as child processes. */
import { isEngineThere, startKafkaContainer, startRedisContainer } from './docker.mjs';
import { areKafkaJarsThere, startKafka } from './kafka.mjs';
import { canInstall, ensurePackages, PACKAGES } from './packages.mjs';
import { freePorts } from './ports.mjs';
import { holdProcesses } from './processes.mjs';
import { isRedisFromJarThere, startRedis } from './redis.mjs';

/**
 * Resolves to `{ brokers, redisUrl, stop }`. `ports` is `{ kafka, redis }`; missing ones are free ports. `held` ends the processes; without
 * it they end with `stop()` or with this process.
 */
export async function startInfrastructure({
  kafka = true,
  redis = true,
  ports = {},
  log = () => undefined,
  held,
  env = process.env,
} = {}) {
  const own = held ? undefined : holdProcesses();
  const holder = held ?? own;
  const needsKafka = kafka && !env.KAFKA_BROKERS;
  const needsRedis = redis && !env.REDIS_URL;
  const docker = (needsKafka || needsRedis) && isEngineThere();
  const free = await freePorts(3);
  const started = performance.now();
  const seconds = () => ((performance.now() - started) / 1000).toFixed(1);

  async function startBroker() {
    if (!kafka) return undefined;
    if (!needsKafka) return { brokers: env.KAFKA_BROKERS };
    const port = ports.kafka ?? free[0];
    const broker = docker
      ? await startKafkaContainer({ held: holder, port, log })
      : await startKafka({ held: holder, port, controllerPort: free[1], log });
    log(`Kafka on ${broker.brokers} (${seconds()} s)`);
    return broker;
  }
  async function startStore() {
    if (!redis) return undefined;
    if (!needsRedis) return { redisUrl: env.REDIS_URL };
    const port = ports.redis ?? free[2];
    const store = await (docker ? startRedisContainer : startRedis)({ held: holder, port, log });
    log(`Redis on ${store.redisUrl} (${seconds()} s)`);
    return store;
  }

  try {
    if (!docker) await ensurePackages(packagesFor({ kafka: needsKafka, redis: needsRedis }), { held: holder, log });
    const [store, broker] = await Promise.all([startStore(), startBroker()]);
    return {
      brokers: broker?.brokers,
      redisUrl: store?.redisUrl,
      processes: [broker?.process, store?.process].filter(Boolean),
      async stop() {
        const running = [broker?.process, store?.process].filter(Boolean);
        for (const process of running) process.kill('SIGKILL');
        await Promise.all(running.map((process) => process.exited));
        await own?.close();
      },
    };
  } catch (error) {
    await own?.close();
    throw error;
  }
}

/** Returns the packages that the machine needs; Maven only while something must still be fetched. */
export function packagesFor({ kafka, redis }) {
  const redisPackage = PACKAGES.redis.isThere() || canInstall() ? 'redis' : undefined;
  const fetchesKafka = kafka && !areKafkaJarsThere();
  const fetchesRedis = redis && !redisPackage && !isRedisFromJarThere();
  return [kafka && 'java', (fetchesKafka || fetchesRedis) && 'maven', redis && redisPackage].filter(Boolean);
}
