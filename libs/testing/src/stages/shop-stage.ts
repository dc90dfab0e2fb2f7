import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApp, type AppName, type RunningApp } from '../apps.js';
import { openFront } from '../tcp-proxy.js';
import { infrastructure, ownPrefix } from '../infrastructure.js';
import { makeTopics } from './gateway-stage.js';
import { publisherKeyOfTests } from './shops.js';
import type { StageDefinition, StartedStage } from '../stage-keeper.js';

/** Public API keys of the shop's merchant. A spec that rotates a key uses one that no other spec has. */
export const SHOP_API_KEYS = {
  shop: '00000000-0000-4000-8000-00000000000a',
  cardSpec: '00000000-0000-4000-8000-00000000000b',
  leavingSpec: '00000000-0000-4000-8000-00000000000c',
  librarySpec: '00000000-0000-4000-8000-00000000000d',
};

export const DESK_PASSWORD = 'password-of-the-desk';

const ACCOUNT = {
  account: 'shop',
  grant: 'client_credentials',
  clientId: 'client-of-the-shop',
  clientSecret: 'secret-of-the-shop',
  scope: '/realms/demo',
};
const CALLER = {
  caller: 'payment-gateway',
  key: 'key-of-the-gateway-for-the-auth-service',
  accounts: [ACCOUNT.account],
};

export interface ShopWorld {
  market?: 'FR' | 'ES';
  /** Further settings of the merchant. */
  merchant?: object;
  settings?: (app: AppName) => Record<string, string>;
  logFile?: (name: string) => string;
}

/**
 * All services of a payment: shop, key service, tokenizer, gateway, tokens, notifications, platform. Browsers use the shop at PUBLIC_URL;
 * `env` is for further processes of the same shop.
 */
export async function startShopWorld({
  market = 'FR',
  merchant = {},
  settings = () => ({}),
  logFile,
}: ShopWorld = {}): Promise<StartedStage> {
  const { brokers, redisUrl } = infrastructure();
  const prefix = ownPrefix();
  const folder = mkdtempSync(join(tmpdir(), 'tranche-shop-'));
  const started: { stop(): Promise<unknown> }[] = [{ stop: () => rm(folder, { recursive: true }) }];
  const apps: Record<string, RunningApp> = {};
  const stop = async () => void (await Promise.all(started.map((one) => one.stop())));
  const file = (name: string, content: object) => {
    writeFileSync(join(folder, name), JSON.stringify(content));
    return join(folder, name);
  };
  const merchantsFile = (name: string, addresses: Record<string, string>) => {
    const apiKeys = Object.values(SHOP_API_KEYS).map((id) => ({ id, key: `key-of-${id}` }));
    const own = { merchant: 'shop-fr', identifier: 'Shop FR', accountKey: 'key-of-the-account', market, apiKeys };
    const publisherKeys = [publisherKeyOfTests()];
    return file(name, [{ ...own, publisherKeys, authAccount: ACCOUNT.account, ...merchant, ...addresses }]);
  };
  const common = {
    KAFKA_BROKERS: brokers,
    KAFKA_TOPIC_PREFIX: prefix,
    REDIS_URL: redisUrl,
    ACCOUNTS_FILE: file('accounts.json', { accounts: [ACCOUNT], callers: [CALLER] }),
  };
  const envOf = (name: AppName, env: Record<string, string>) => ({
    ...common,
    REDIS_KEY_PREFIX: `${prefix}${name}:`,
    ...env,
    ...settings(name),
  });
  const start = async (name: AppName, env: Record<string, string>) => {
    const app = await startApp(name, envOf(name, env), logFile && { logFile: logFile(name) });
    started.push(app);
    apps[name] = app;
    return app;
  };

  try {
    const front = await openFront();
    started.push({ stop: () => front.close() });
    const pageUrl = `${front.url}/shop-fr/thanks`;
    // Each service gets the addresses of earlier ones, so no port is chosen in advance. Topics come early, so that they have leaders in
    // time.
    const [ingest] = await Promise.all([
      start('notification-ingest', { MERCHANTS_FILE: merchantsFile('of-ingest.json', { pageUrl }) }),
      makeTopics(prefix),
    ]);
    const MERCHANTS_FILE = merchantsFile('merchants.json', {
      notificationUrl: `${ingest.url}/notifications`,
      returnUrl: `${ingest.url}/return/shop-fr`,
      pageUrl,
    });
    const simulator = await start('platform-simulator', {
      MERCHANTS_FILE,
      // The page sends all four fields of the plaintext.
      REQUIRE_SELECTED_BRAND: 'true',
      NOTIFICATION_RETRY_MS: '200,500,1000,5000',
    });
    const [auth, keys] = await Promise.all([
      start('auth-service', {
        AUTH_URL: simulator.url,
        TOKEN_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      }),
      start('cse-token-service', {
        MERCHANTS_FILE,
        CSE_KEYS_URL: `${simulator.url}/cseKeys`,
        CSE_ORIGINS: front.url,
        CSE_REFUSED_INTERVAL_MS: '100',
        // The simulator's new key pair takes a while on a busy machine.
        CSE_TIMEOUT_MS: '8000',
      }),
    ]);
    const env = envOf('checkout-demo', {
      MERCHANTS_FILE,
      PUBLIC_URL: front.url,
      MARKET: market,
      API_KEY_ID: SHOP_API_KEYS.shop,
      CSE_KEYS_URL: `${keys.url}/v1/cse-keys`,
      TOKENIZER_URL: `${simulator.url}/tokenizer`,
      ATTEMPTS_PER_MINUTE: '100000',
      DESK_PASSWORD,
      // Longer than a stall of the machine. Specs about an absent Kafka set a short one.
      PUBLISH_TIMEOUT_MS: '30000',
      LOG_LEVEL: 'debug',
    });
    const [shop] = await Promise.all([
      start('checkout-demo', env),
      start('payment-gateway', {
        MERCHANTS_FILE,
        PAYMENT_URL: simulator.url,
        AUTH_SERVICE_URL: auth.url,
        AUTH_SERVICE_KEY: CALLER.key,
        ENVIRONMENT_ID: 'tests',
      }),
    ]);
    front.leadTo(shop.url);
    return { prefix, env, apps, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export const startShopStage: StageDefinition = (logFile) => startShopWorld({ logFile });
