import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApp, startSimulator, type RunningApp } from '../apps.js';
import { openFront } from '../tcp-proxy.js';
import { ownPrefix } from '../infrastructure.js';
import { gatewaySettings, makeTopics } from './gateway-stage.js';
import { operationsSettings } from './operations-stage.js';
import { publisherKeyOfTests, writeShops } from './shops.js';

/** Longer than a stall of the machine, because every drill waits for one or two of them. */
const PLATFORM_TIMEOUT_MS = '3000';

export interface DrillWorld {
  operations: RunningApp;
  simulator: RunningApp;
  /** Settings of `tranche drill`. */
  env: Record<string, string>;
  /** The merchant with its right keys. */
  merchantsFile: string;
  /** Replaces the gateway by one whose clock is ahead. */
  travel(aheadMs: number): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Operations, gateway, notifications and simulator of one merchant, for specs of drills: they stop rails and lose indexes, so no other spec may be here.
 * @param ofIngest what notification-ingest has in its file besides
 * @param settings further ones of gateway and operations
 */
export async function startDrillWorld(
  ofIngest: object = {},
  settings: Record<string, string> = {},
): Promise<DrillWorld> {
  const prefix = ownPrefix();
  const folder = mkdtempSync(join(tmpdir(), 'tranche-drill-'));
  const shops = writeShops();
  const stops: (() => Promise<unknown>)[] = [
    () => rm(folder, { recursive: true }),
    () => Promise.resolve(shops.remove()),
  ];
  const stop = async () => void (await Promise.all(stops.map((one) => one())));
  const merchantsFile = (name: string, addresses: object) => {
    const own = { merchant: 'shop-fr', identifier: 'Shop FR', accountKey: 'key-of-the-account', market: 'FR' };
    const whole = { ...own, currency: 'EUR', publisherKeys: [publisherKeyOfTests()], ...addresses };
    writeFileSync(join(folder, name), JSON.stringify([whole]));
    return join(folder, name);
  };
  const started = async (...[name, env]: Parameters<typeof startApp>): Promise<RunningApp> => {
    const app = await startApp(name, env);
    stops.push(() => app.stop());
    return app;
  };
  try {
    await makeTopics(prefix);
    const ingest = await started('notification-ingest', {
      ...gatewaySettings(prefix, ''),
      REDIS_KEY_PREFIX: `${prefix}ingest:`,
      MERCHANTS_FILE: merchantsFile('of-ingest.json', ofIngest),
    });
    const MERCHANTS_FILE = merchantsFile('merchants.json', {
      notificationUrl: `${ingest.url}/notifications`,
      returnUrl: `${ingest.url}/return/shop-fr`,
    });
    const simulator = await startSimulator({ MERCHANTS_FILE, NOTIFICATION_RETRY_MS: '200,500,1000,5000' });
    stops.push(() => simulator.stop());
    const { operatorsFile: OPERATORS_FILE } = shops;
    const env: Record<string, string> = { ...gatewaySettings(prefix, simulator.url), MERCHANTS_FILE, OPERATORS_FILE, ENVIRONMENT_ID: 'tests', PLATFORM_TIMEOUT_MS, ...settings }; // prettier-ignore
    const front = await openFront();
    stops.push(() => front.close());
    let gateway = await started('payment-gateway', env);
    front.leadTo(gateway.managementUrl);
    const ofOperations = operationsSettings({ prefix, env, apps: { 'payment-gateway': gateway } }, `drill_${prefix.replace(/\W/g, '')}`); // prettier-ignore
    const operations = await started('operations', { ...ofOperations, ...settings, GATEWAY_URL: front.url });
    return {
      operations,
      simulator,
      merchantsFile: MERCHANTS_FILE,
      env: {
        OPERATIONS_URL: operations.url,
        SIMULATOR_URL: simulator.url,
        KAFKA_TOPIC_PREFIX: prefix,
        KAFKA_BROKERS: env.KAFKA_BROKERS!,
        REDIS_URL: env.REDIS_URL!,
        ENVIRONMENT_ID: 'tests',
      },
      async travel(aheadMs) {
        const before = gateway;
        gateway = await started('payment-gateway', { ...env, CLOCK_OFFSET_MS: String(aheadMs) });
        front.leadTo(gateway.managementUrl);
        await before.stop();
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
