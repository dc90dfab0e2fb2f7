import { randomUUID } from 'node:crypto';
import { freePorts, startApp, type RunningApp } from '@tranche/testing';
import { ask } from '../ask.js';
import type { Infrastructure } from '../faults/infrastructure.js';
import { faultsOf, runScenario } from '../faults/run-scenario.js';
import type { Scenario } from '../faults/scenario.js';
import type { Stage } from '../faults/stage.js';
import { MERCHANT } from '../faults/surroundings.js';
import type { IssuedTokens } from './canaries.js';
import { askWithPassword, buyAtShop, cardTokenOf, sendCardCommands } from './people.js';
import { logOf, metricsAt, topicsOf, type Place } from './places.js';
import type { PlantedFolder } from './planted.js';
import { sendCardData } from './wrong-addresses.js';

/** The simulator may receive card data, and it has no metrics. */
const SIMULATOR = 'platform-simulator';
/** At this level the logs contain the most. */
const LOG_LEVEL = 'debug';

/** Everything that a run leaves behind, read after all its processes have ended. */
export interface Remains {
  readonly places: readonly Place[];
  readonly issued: IssuedTokens;
  readonly misplaced: number;
  /** Violations that the referee of the faults found, and trouble of the run. */
  readonly faults: readonly string[];
}

export interface PlantedRun {
  readonly infrastructure: Infrastructure;
  readonly folder: PlantedFolder;
  readonly scenario: Scenario;
  readonly seed: number;
}

/**
 * Plays a scenario of the faults, judged as always, with planted secrets and with all services, and then sends card data to services that
 * must not get it.
 */
export async function playPlanted({ infrastructure, folder, scenario, seed }: PlantedRun): Promise<Remains> {
  const { planted, files } = folder;
  const [shopPort] = await freePorts();
  const shopUrl = `http://127.0.0.1:${shopPort}`;
  const gateway: Record<string, string> = { AUTH_SERVICE_KEY: planted.serviceKey, OPERATORS_FILE: files.operators };
  let refusing: RunningApp | undefined;
  let left: Omit<Remains, 'faults'> | undefined;
  const withSecrets: Scenario = {
    ...scenario,
    async run(stage, load) {
      const settings = settingsOf(stage, folder, shopUrl);
      const [auth, cse] = await Promise.all([
        stage.start('auth-service', settings.auth),
        stage.start('cse-token-service', settings.cse),
      ]);
      await Promise.all([stage.ready(auth), stage.ready(cse)]);
      // The gateways of the scenario are started later.
      gateway.AUTH_SERVICE_URL = auth.url;
      // auth-service must refuse an account of the password grant over plain HTTP, and must not print the password in its reason.
      refusing = await startApp(
        'auth-service',
        { ...settings.auth, LOG_LEVEL, ACCOUNTS_FILE: files.persons },
        { readyPath: undefined },
      );
      await askWithPassword(stage.simulator.url, planted.person);
      const shop = await stage.start('checkout-demo', { ...settings.shop, CSE_KEYS_URL: `${cse.url}/v1/cse-keys` });
      await stage.ready(shop);
      await scenario.run(stage, load);
      const page = { cseUrl: cse.url, origin: shopUrl, simulatorUrl: stage.simulator.url };
      const { client, options } = stage;
      const number = planted.cardInCommand;
      await sendCardCommands(client, options.topicPrefix, { hfToken: await cardTokenOf(planted, page), number });
      await buyAtShop(shop.url, await cardTokenOf(planted, page), number);
    },
  };
  const run = await runScenario(withSecrets, seed, infrastructure, {
    planted: {
      ...{ merchantsFile: files.merchants, logLevel: LOG_LEVEL, gateway },
      simulator: { ACCOUNTS_FILE: files.persons },
    },
    afterwards: async (stage) => {
      if (refusing !== undefined) left = await remainsOf(stage, refusing, { folder, shopUrl });
    },
  }).finally(() => refusing?.stop('SIGKILL'));
  if (left === undefined) throw new Error([`${scenario.name} was not played to its end`, ...faultsOf(run)].join('\n'));
  return { ...left, faults: faultsOf(run).map((fault) => `${scenario.name}: ${fault}`) };
}

async function remainsOf(
  stage: Stage,
  refusing: RunningApp,
  { folder, shopUrl }: { folder: PlantedFolder; shopUrl: string },
): Promise<Omit<Remains, 'faults'>> {
  const { simulator, client, options } = stage;
  const apps = [...stage.apps, refusing].map((app) => ({ name: serviceOf(app.logs) ?? SIMULATOR, app }));
  const alive = apps.filter(({ name, app }) => name !== SIMULATOR && !app.killed);
  // The gateway has only its management port: operators use it, so card data could be sent there.
  const addressed = alive.flatMap(({ name, app }) => [
    ...(name === 'payment-gateway' ? [] : [app.url]),
    app.managementUrl,
  ]);
  const misplaced = await sendCardData(addressed, folder.planted.card, shopUrl);
  const issued = await ask<IssuedTokens>(`${simulator.url}/simulator/issued-tokens`);
  const metrics = await Promise.all(alive.map(({ name, app }) => metricsAt(name, app.managementUrl)));
  // Stopping the services flushes what they still hold to logs, topics and stores, so it is searched too.
  await Promise.all(apps.map(({ app }) => app.stop()));
  const silent = apps.filter(({ app }) => app.logs.length === 0).map(({ name }) => name);
  if (silent.length > 0)
    throw new Error(`${silent.join(', ')} logged nothing: what was searched is not what was meant`);
  const logs = apps.map(({ name, app }) => logOf(name, app.logs));
  return { places: [...logs, ...metrics, ...(await topicsOf(client, options.topicPrefix))], issued, misplaced };
}

const serviceOf = (lines: readonly string[]): string | undefined =>
  /"service":"([a-z-]+)"/.exec(lines.find((line) => line.includes('"service":"')) ?? '')?.[1];

function settingsOf(
  { options: { infrastructure, topicPrefix }, simulator }: Stage,
  { planted, files }: PlantedFolder,
  shopUrl: string,
) {
  const common = {
    LOG_LEVEL,
    KAFKA_BROKERS: infrastructure.brokers,
    KAFKA_TOPIC_PREFIX: topicPrefix,
    REDIS_URL: infrastructure.redisUrl,
  };
  return {
    auth: {
      ...common,
      AUTH_URL: simulator.url,
      ACCOUNTS_FILE: files.accounts,
      TOKEN_ENCRYPTION_KEY: planted.tokenEncryptionKey,
      REDIS_KEY_PREFIX: `${topicPrefix}auth:`,
    },
    cse: {
      ...common,
      CSE_KEYS_URL: `${simulator.url}/cseKeys`,
      CSE_ORIGINS: shopUrl,
      CSE_TIMEOUT_MS: '30000',
      MERCHANTS_FILE: files.merchants,
      REQUESTS_PER_MINUTE_PER_ADDRESS: '100000',
      REDIS_KEY_PREFIX: `${topicPrefix}cse:${randomUUID()}:`,
    },
    shop: {
      ...common,
      PORT: new URL(shopUrl).port,
      PUBLIC_URL: shopUrl,
      MERCHANT: MERCHANT.name,
      API_KEY_ID: planted.apiKeyId,
      TOKENIZER_URL: `${simulator.url}/tokenizer`,
      ATTEMPTS_PER_MINUTE: '100000',
      PUBLISH_TIMEOUT_MS: '30000',
      REDIS_KEY_PREFIX: `${topicPrefix}checkout:`,
    },
  };
}
