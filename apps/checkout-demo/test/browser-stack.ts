import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Market } from '@tranche/contracts';
import {
  freePorts,
  infrastructure,
  launchBrowser,
  ownPrefix,
  startApp,
  waitFor,
  type AppName,
  type TestBrowser,
} from '@tranche/testing';

/** Six processes and a browser start at once, beside other tests. */
const READY_TIMEOUT_MS = 90_000;
const API_KEY_ID = '00000000-0000-4000-8000-00000000000a';
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

interface Ledger {
  operations: { operationType: string; transactionId: string; finalExecCode: string }[];
}

export type BrowserStack = Awaited<ReturnType<typeof startBrowserStack>>;

type SettingsOf = (app: AppName) => Record<string, string>;

/** A browser, and everything that a payment passes on its way: shop, key service, tokenizer, gateway, tokens, notifications, provider. */
export async function startBrowserStack({
  market = 'FR',
  settings = () => ({}),
}: { market?: Market; settings?: SettingsOf } = {}) {
  const started: { stop(): Promise<unknown> }[] = [];
  const stop = () => Promise.all(started.map((one) => one.stop()));
  try {
    const [browser, addresses] = await Promise.all([startedBrowser(started), startApps(started, market, settings)]);
    return { browser, stop, ...addresses, ...simulatorAt(addresses.simulatorUrl) };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startedBrowser(started: { stop(): Promise<unknown> }[]): Promise<TestBrowser> {
  const browser = await launchBrowser();
  started.push({ stop: () => browser.close() });
  return browser;
}

async function startApps(started: { stop(): Promise<unknown> }[], market: Market, settings: SettingsOf) {
  const { brokers, redisUrl } = infrastructure();
  const prefix = ownPrefix();
  const [[shopPort, ingestPort], [simulatorPort]] = await Promise.all([freePorts(), freePorts()]);
  const [shopUrl, ingestUrl, simulatorUrl] = [
    `http://127.0.0.1:${shopPort}`,
    `http://127.0.0.1:${ingestPort}`,
    `http://127.0.0.1:${simulatorPort}`,
  ];
  const files = settingsFiles(shopUrl, ingestUrl, market);
  started.push(files);
  const kafka = { KAFKA_BROKERS: brokers, KAFKA_TOPIC_PREFIX: prefix };
  const common = { ...files.env, ...kafka, REDIS_URL: redisUrl };
  const start = async (name: AppName, env: Record<string, string>) => {
    const app = await startApp(
      name,
      { ...common, REDIS_KEY_PREFIX: `${prefix}${name}:`, ...env, ...settings(name) },
      { readyTimeoutMs: READY_TIMEOUT_MS },
    );
    started.push(app);
    return app;
  };

  await start('platform-simulator', { PORT: String(simulatorPort), NOTIFICATION_RETRY_MS: '200,500,1000,5000' });
  const [auth, keys] = await Promise.all([
    start('auth-service', { AUTH_URL: simulatorUrl, TOKEN_ENCRYPTION_KEY: randomBytes(32).toString('base64') }),
    start('cse-token-service', {
      CSE_KEYS_URL: `${simulatorUrl}/cseKeys`,
      CSE_ORIGINS: shopUrl,
      CSE_REFUSED_INTERVAL_MS: '100',
      CSE_TIMEOUT_MS: '8000',
    }),
    start('notification-ingest', { PORT: String(ingestPort) }),
  ]);
  await start('payment-gateway', {
    PAYMENT_URL: simulatorUrl,
    AUTH_SERVICE_URL: auth.url,
    AUTH_SERVICE_KEY: CALLER.key,
  });
  const keysUrl = `${keys.url}/v1/cse-keys`;
  const tokenizerUrl = `${simulatorUrl}/tokenizer`;
  await start('checkout-demo', {
    PORT: String(shopPort),
    PUBLIC_URL: shopUrl,
    MARKET: market,
    API_KEY_ID,
    CSE_KEYS_URL: keysUrl,
    TOKENIZER_URL: tokenizerUrl,
    ATTEMPTS_PER_MINUTE: '1000',
  });
  return { prefix, shopUrl, keysUrl, tokenizerUrl, simulatorUrl };
}

function settingsFiles(shopUrl: string, ingestUrl: string, market: Market) {
  const folder = mkdtempSync(join(tmpdir(), 'tranche-checkout-'));
  const merchant = {
    merchant: 'shop-fr',
    identifier: 'Shop FR',
    accountKey: 'key-of-the-account',
    market,
    apiKeys: [{ id: API_KEY_ID, key: 'key-of-the-api' }],
    notificationUrl: `${ingestUrl}/notifications`,
    returnUrl: `${ingestUrl}/return/shop-fr`,
    pageUrl: `${shopUrl}/shop-fr/thanks`,
    authAccount: ACCOUNT.account,
  };
  const env = { MERCHANTS_FILE: join(folder, 'merchants.json'), ACCOUNTS_FILE: join(folder, 'accounts.json') };
  writeFileSync(env.MERCHANTS_FILE, JSON.stringify([merchant]));
  writeFileSync(env.ACCOUNTS_FILE, JSON.stringify({ accounts: [ACCOUNT], callers: [CALLER] }));
  return { env, stop: () => rm(folder, { recursive: true }) };
}

function simulatorAt(url: string) {
  async function tell(path: string, body: object): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/simulator/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  }
  const ledger = async (query: string) => (await (await fetch(`${url}/simulator/ledger${query}`)).json()) as Ledger;
  return {
    /** What the platform executed of an order and what became of it, as `payment 0000`: the referee of every promise. */
    executed: async (orderId: string) =>
      (await ledger(`?orderId=${orderId}`)).operations.map(
        ({ operationType, finalExecCode }) => `${operationType} ${finalExecCode}`,
      ),
    untilExecuted: (orderId: string, count: number) =>
      waitFor(async () => (await ledger(`?orderId=${orderId}`)).operations.length >= count, {
        what: `${count} executions of ${orderId}`,
      }),
    /** How much the platform executed so far, of all orders. */
    executedInAll: async () => (await ledger('')).operations.length,
    rotateKeys: () => tell('cse-keys/rotate', { apiKeyId: API_KEY_ID }),
    travel: (minutes: number) => tell('clock', { advanceSeconds: minutes * 60 }),
    /** Makes the simulator misbehave, see its README. */
    fault: (rule: object) => tell('faults', rule),
    /** The provider's word on an order that it put on hold. */
    approve: async (orderId: string) => {
      const { transactionId } = (await ledger(`?orderId=${orderId}`)).operations.at(-1) ?? {};
      await tell(`transactions/${transactionId}/decide`, { decision: 'approve' });
    },
  };
}
