import { TOPICS } from '@tranche/contracts';
import { silentLog } from '@tranche/runtime';
import { startApp, startSimulator } from '../apps.js';
import { infrastructure, ownPrefix } from '../infrastructure.js';
import { writeShops } from './shops.js';
import type { StageDefinition } from '../stage-keeper.js';

/** Settings of a gateway with this simulator. Nothing forwards notifications; specs publish their own. */
export function gatewaySettings(prefix: string, simulatorUrl: string): Record<string, string> {
  const { brokers, redisUrl } = infrastructure();
  return {
    KAFKA_BROKERS: brokers,
    KAFKA_TOPIC_PREFIX: prefix,
    REDIS_URL: redisUrl,
    PAYMENT_URL: simulatorUrl,
    AUTH_SERVICE_KEY: 'not-used',
    // Long, so that a slow machine does not turn an answer into a timeout. Specs about timeouts set a short one.
    PLATFORM_TIMEOUT_MS: '15000',
    DOUBT_GRACE_MS: '500',
  };
}

/** Creates the services' topics for a single broker. */
export async function makeTopics(prefix: string): Promise<void> {
  // Imported here, so that specs which need only builders do not load a Kafka client.
  const { createKafkaClient, ensureTopics } = await import('@tranche/kafka');
  const client = createKafkaClient(
    { brokers: infrastructure().brokers.split(','), clientId: 'topics-of-tests' },
    silentLog,
  );
  const definitions = Object.values(TOPICS);
  await ensureTopics(client, { prefix, definitions, replicationFactor: 1, minInSyncReplicas: 1, log: silentLog });
}

/** A gateway with merchants for several settings, operators and look-ups, and its simulator. */
export const startGatewayStage: StageDefinition = async (logFile) => {
  const prefix = ownPrefix();
  const shops = writeShops();
  const [simulator] = await Promise.all([
    startSimulator({ MERCHANTS_FILE: shops.merchantsFile }, { logFile: logFile('platform-simulator') }),
    makeTopics(prefix),
  ]);
  const env = {
    ...gatewaySettings(prefix, simulator.url),
    MERCHANTS_FILE: shops.merchantsFile,
    OPERATORS_FILE: shops.operatorsFile,
    ENVIRONMENT_ID: 'tests',
    // Enough look-ups that some are left for a slow spec.
    LOOKUP_AFTER_MS: Array.from({ length: 20 }, (_, at) => 5_000 * (at + 1)).join(),
    LOOKUP_TIMEOUT_MS: '2500',
  };
  const gateway = await startApp('payment-gateway', env, { logFile: logFile('payment-gateway') });
  return {
    prefix,
    env,
    apps: { 'payment-gateway': gateway, 'platform-simulator': simulator },
    stop: async () => {
      await Promise.all([gateway.stop(), simulator.stop()]);
      shops.remove();
    },
  };
};
