import { randomUUID } from 'node:crypto';
import { freePorts, startApp, type AppName, type RunningApp } from '@tranche/testing';
import type { Infrastructure } from '../faults/infrastructure.js';
import { Load } from '../faults/load.js';
import type { Scenario } from '../faults/scenario.js';
import { Stage } from '../faults/stage.js';
import { MERCHANT } from '../faults/surroundings.js';
import { Random } from '../simulation/random.js';
import { cardTokenOf, sendCardCommands } from './card-flow.js';
import { askWithPassword, issuedTokens, type IssuedTokens } from './issued-tokens.js';
import { logOf, metricsAt, serviceOf, topicsOf } from './places.js';
import type { PlantedFolder } from './planted-files.js';
import type { Place } from './search.js';
import { buyAtShop } from './shop-visit.js';
import { sendCardData } from './wrong-addresses.js';

/** The simulator may receive card data, and it has no metrics. */
const SIMULATOR = 'platform-simulator';
const SETTLE_MS = 60_000;
const READY_MS = 90_000;
/** At this level the logs contain the most. */
const LOG_LEVEL = 'debug';

/** Everything that a run leaves behind, read after all its processes have ended. */
export interface Remains {
  readonly places: readonly Place[];
  readonly issued: IssuedTokens;
  readonly misplaced: number;
}

export interface PlantedRun {
  readonly infrastructure: Infrastructure;
  readonly folder: PlantedFolder;
  readonly scenario: Scenario;
  readonly seed: number;
}

/** Plays real faults on all services with planted secrets, and then sends card data to services that must not get it. */
export async function playPlanted({ infrastructure, folder, scenario, seed }: PlantedRun): Promise<Remains> {
  const { planted, guardedMerchantsFile: merchantsFile, personsFile, operatorsFile } = folder;
  const topicPrefix = `canaries-${process.pid}-${seed}.`;
  const orderPrefix = `canary${seed}-`;
  const [authPort, ownPort] = await freePorts();
  const stage = await Stage.open({
    ...{ infrastructure, topicPrefix, orderPrefix, random: new Random(seed) },
    planted: {
      merchantsFile,
      logLevel: LOG_LEVEL,
      simulator: { ACCOUNTS_FILE: personsFile },
      gateway: {
        AUTH_SERVICE_URL: `http://127.0.0.1:${authPort}`,
        AUTH_SERVICE_KEY: planted.serviceKey,
        OPERATORS_FILE: operatorsFile,
      },
    },
  });
  const { client, simulator } = stage;
  const { orders = 12, perSecond = 3 } = scenario.load ?? {};
  const loads = {
    client,
    topicPrefix,
    simulatorUrl: simulator.url,
    orderPrefix,
    merchant: MERCHANT,
    random: new Random(seed + 2 ** 40),
  };
  const load = new Load({ ...loads, orders, perSecond });
  const others: { name: AppName; app: RunningApp }[] = [];
  try {
    const settings = {
      brokers: infrastructure.brokers,
      redisUrl: infrastructure.redisUrl,
      topicPrefix,
      simulatorUrl: simulator.url,
    };
    const start = async (name: AppName, env: Record<string, string>) => {
      const app = await startApp(name, { LOG_LEVEL, ...env }, { readyTimeoutMs: READY_MS });
      others.push({ name, app });
      return app;
    };
    const shopUrl = `http://127.0.0.1:${ownPort}`;
    const [auth, cse] = await Promise.all([
      start('auth-service', authSettings(settings, folder, authPort)),
      start('cse-token-service', cseSettings(settings, folder, shopUrl)),
    ]);
    // auth-service must refuse an account of the password grant over plain HTTP, and must not print the password in its reason.
    const refusing = await startApp(
      'auth-service',
      { ...authSettings(settings, folder, 0), ACCOUNTS_FILE: personsFile },
      { readyPath: undefined },
    );
    others.push({ name: 'auth-service', app: refusing });
    await askWithPassword(simulator.url, planted.files.person);
    const shop = await start('checkout-demo', shopSettings(settings, folder, { cseUrl: cse.url, port: ownPort }));

    await scenario.run(stage, load);
    const page = { cseUrl: cse.url, origin: shopUrl, simulatorUrl: simulator.url };
    const hfToken = await cardTokenOf(planted, page);
    await sendCardCommands(client, topicPrefix, { hfToken, orderPrefix, number: planted.cardInCommand });
    await buyAtShop(shop.url, await cardTokenOf(planted, page), planted.cardInCommand);
    await load.settled(SETTLE_MS);
    await load.stop();

    const measured = [...others, ...stage.apps.map((app) => ({ name: serviceOf(app.logs) ?? SIMULATOR, app }))];
    const alive = measured.filter(({ name, app }) => name !== SIMULATOR && !app.killed);
    const addressed = alive.flatMap(({ name, app }) => addressesOf(name, app).map((url) => ({ name, url })));
    const misplaced = await sendCardData(addressed, planted.card, shopUrl);
    const issued = await issuedTokens(simulator.url);
    const metrics = await Promise.all(alive.map(({ name, app }) => metricsAt(name, app.managementUrl)));
    // Stopping the services flushes what they still hold to logs, topics and stores, so it is searched too.
    await Promise.all([...others.map(({ app }) => app.stop()), ...stage.apps.map((app) => app.stop())]);
    const logs = measured.map(({ name, app }) => logOf(name, app.logs));
    const places = [...logs, ...metrics, ...(await topicsOf(client, topicPrefix))];
    if (auth.logs.length === 0) throw new Error('auth-service logged nothing: what was searched is not what was meant');
    return { places, issued, misplaced };
  } finally {
    await load.close();
    await Promise.all(others.map(({ app }) => app.stop('SIGKILL')));
    await stage.close();
  }
}

/** The gateway has only its management port: operators use it, so card data could be sent there. */
function addressesOf(name: string, app: RunningApp): string[] {
  return name === 'payment-gateway' ? [app.managementUrl] : [app.url, app.managementUrl];
}

interface Settings {
  readonly brokers: string;
  readonly redisUrl: string;
  readonly topicPrefix: string;
  readonly simulatorUrl: string;
}

const common = ({ brokers, redisUrl, topicPrefix }: Settings) => ({
  KAFKA_BROKERS: brokers,
  KAFKA_TOPIC_PREFIX: topicPrefix,
  REDIS_URL: redisUrl,
});

const authSettings = (settings: Settings, { accountsFile, planted }: PlantedFolder, port: number) => ({
  ...common(settings),
  PORT: String(port),
  AUTH_URL: settings.simulatorUrl,
  ACCOUNTS_FILE: accountsFile,
  TOKEN_ENCRYPTION_KEY: planted.tokenEncryptionKey,
  REDIS_KEY_PREFIX: `${settings.topicPrefix}auth:`,
});

const cseSettings = (settings: Settings, { merchantsFile }: PlantedFolder, origin: string) => ({
  ...common(settings),
  CSE_KEYS_URL: `${settings.simulatorUrl}/cseKeys`,
  CSE_ORIGINS: origin,
  CSE_TIMEOUT_MS: '30000',
  MERCHANTS_FILE: merchantsFile,
  REQUESTS_PER_MINUTE_PER_ADDRESS: '100000',
  REDIS_KEY_PREFIX: `${settings.topicPrefix}cse:${randomUUID()}:`,
});

const shopSettings = (
  settings: Settings,
  { planted }: PlantedFolder,
  { cseUrl, port }: { cseUrl: string; port: number },
) => ({
  ...common(settings),
  PORT: String(port),
  PUBLIC_URL: `http://127.0.0.1:${port}`,
  MERCHANT: MERCHANT.name,
  API_KEY_ID: planted.apiKeyId,
  CSE_KEYS_URL: `${cseUrl}/v1/cse-keys`,
  TOKENIZER_URL: `${settings.simulatorUrl}/tokenizer`,
  ATTEMPTS_PER_MINUTE: '100000',
  PUBLISH_TIMEOUT_MS: '30000',
  REDIS_KEY_PREFIX: `${settings.topicPrefix}checkout:`,
});
