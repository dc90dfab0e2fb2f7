import { startApp } from '../apps.js';
import { databaseUrl } from '../infrastructure.js';
import type { Stage, StageDefinition } from '../stage-keeper.js';

/** The key of vera in config/operators.demo.json, who looks at all merchants. */
const VIEWER = 'demo-key-of-vera-not-a-real-one-at-all';

/** Settings of operations on the stage of the gateway, with a schema of its own. */
export function operationsSettings({ prefix, env, apps }: Stage, schema: string): Record<string, string> {
  const { KAFKA_BROKERS = '', OPERATORS_FILE = '' } = env;
  return {
    KAFKA_BROKERS,
    KAFKA_TOPIC_PREFIX: prefix,
    OPERATORS_FILE,
    DATABASE_URL: databaseUrl(),
    DATABASE_SCHEMA: schema,
    GATEWAY_URL: apps['payment-gateway']!.managementUrl,
    GATEWAY_KEY: VIEWER,
    COMPARE_EVERY_MS: '5000',
  };
}

/** Operations on the stage of the gateway: it shows the orders of every spec there. */
export const startOperationsStage: StageDefinition = async (logFile, stageOf) => {
  const gateway = await stageOf('gateway');
  const env = operationsSettings(gateway, `stage_${gateway.prefix.replace(/\W/g, '')}`);
  const operations = await startApp('operations', env, { logFile: logFile('operations') });
  return {
    prefix: gateway.prefix,
    env: { ...gateway.env, ...env },
    apps: { operations },
    stop: async () => void (await operations.stop()),
  };
};
