/** Scenarios play on this: simulator and services on free ports, topics and Redis keys of this run, and a shop. */
import { randomBytes } from 'node:crypto';
import { APPS, SERVICES } from '../infra/apps.mjs';
import { bootstrap } from '../infra/bootstrap.mjs';
import { startDatabaseIfAny, startInfrastructure } from '../infra/infrastructure.mjs';
import { stopAll } from '../infra/processes.mjs';
import { readJson } from '../infra/read-json.mjs';
import { merchantsOfThisRun, stackPorts } from '../infra/service-ports.mjs';
import { CHECKOUT_MERCHANT, environments, startService } from '../infra/services.mjs';
import { keepLogs } from './logs.mjs';
import { openPage } from './page.mjs';
import { platformAt } from './platform.mjs';
import { openShop } from './shop.mjs';

/** Settings that the scenarios need. */
const MORE = {
  // The platform must retry for longer than a loaded machine takes to restart two services.
  'platform-simulator': { NOTIFICATION_RETRY_MS: Array(300).fill(500).join(',') },
  // The simulator needs a while for a new key pair on a busy machine.
  'cse-token-service': { CSE_TIMEOUT_MS: '8000' },
  // Kafka gives the partitions of a killed gateway away only after the session's time-out.
  'payment-gateway': { PLATFORM_TIMEOUT_MS: '8000', DOUBT_GRACE_MS: '1000', KAFKA_SESSION_TIMEOUT_MS: '5000' },
};

/** From a fresh clone on: Kafka, Redis, what is compiled, topics, and the stage on them. */
export async function startStage({ held, log, files }) {
  const starting = startInfrastructure({ held, log });
  // The scenarios alone need nothing for operators.
  const names = files.keep ? APPS : Object.keys(SERVICES).filter((name) => name !== 'operations');
  const making = async () => makeTopics(await starting, { log });
  const [infrastructure, { compiled: access }] = await Promise.all([
    starting,
    bootstrap({ held, log, apps: names, whenCompiled: making }),
  ]);
  const databaseUrl = files.keep ? (await startDatabaseIfAny({ held, log }))?.databaseUrl : undefined;
  const all = { ...infrastructure, databaseUrl, topicPrefix: access.topicPrefix };
  return { infrastructure: all, stage: await setStage({ held, log, infrastructure: all, files, access }) };
}

/**
 * `access`: `{ topicPrefix }` of topics that are there (`makeTopics` gives it); where Kafka and Redis have users also `sasl`, the shop's, and
 * `settingsOf(service)`. `files`: `{ merchants, accounts, logs }`, as in the options of the demo.
 */
export async function setStage({ held, log, infrastructure: { brokers, redisUrl, databaseUrl }, files = {}, access }) {
  const { topicPrefix, sasl, settingsOf = () => ({}) } = access;
  const { services: ports } = await stackPorts({}, { areFree: true });
  const merchantsFile = merchantsOfThisRun(
    files.merchants ?? 'config/merchants.demo.json',
    ports,
    held.folder('tranche-demo-'),
  );
  const accountsFile = files.accounts ?? 'config/accounts.demo.json';
  const more = Object.fromEntries(Object.keys(ports).map((name) => [name, { ...MORE[name], ...settingsOf(name) }]));
  const envs = environments({ ports, brokers, redisUrl, databaseUrl, topicPrefix, merchantsFile, accountsFile, more });
  const { tokenizeCard, ...libraries } = await builtLibraries();

  const services = {};
  const trouble = []; // warnings of the services, printed if a scenario fails
  const logs = keepLogs(files.logs);
  const onWarning = (line) => trouble.push(line);
  const start = async (name) => {
    services[name] = await startService(name, { held, env: envs[name], onWarning, onOutput: logs.outputOf(name) });
  };
  const stop = async (name) => {
    await logs.keepMetrics(services[name]);
    await stopAll([services[name].process]);
  };
  log('starting the simulator and the services');
  await Promise.all(Object.keys(SERVICES).filter((name) => name !== 'operations' || databaseUrl !== undefined).map(start)); // prettier-ignore
  log('all services are ready');
  let aheadMs = 0;
  const shop = await openShop({ libraries, brokers, topicPrefix, sasl, nowMs: () => Date.now() + aheadMs });
  const platform = platformAt(services['platform-simulator'].url);
  /** Moves the clocks of platform, gateway and shop forward; times already recorded stay. */
  const travel = async (ms) => {
    await stop('payment-gateway');
    aheadMs += ms;
    await platform.travel(ms);
    envs['payment-gateway'].CLOCK_OFFSET_MS = String(aheadMs);
    await start('payment-gateway');
  };
  const {
    API_KEY_ID: apiKeyId,
    CSE_KEYS_URL: cseKeysUrl,
    TOKENIZER_URL: tokenizerUrl,
    PUBLIC_URL: origin,
  } = envs['checkout-demo'];
  const { identifier, returnUrl } = readJson(merchantsFile).find(({ merchant }) => merchant === CHECKOUT_MERCHANT);
  return {
    services,
    trouble,
    shop,
    platform,
    returnUrl,
    page: openPage({ tokenizeCard, origin, apiKeyId, cseKeysUrl, tokenizerUrl }),
    identifier,
    start,
    stop,
    travel,
    travelHome: () => (aheadMs === 0 ? undefined : travel(-aheadMs)),
    async kill(name) {
      services[name].process.kill('SIGKILL');
      await services[name].process.exited;
    },
    /** Closes the shop; the holder stops the services. */
    async close() {
      await Promise.all([shop.close(), ...Object.values(services).map(logs.keepMetrics)]);
    },
  };
}

/** They exist only when all is compiled. */
async function builtLibraries() {
  const [contracts, kafka, runtime, { Tranche }, { tokenizeCard }] = await Promise.all([
    import('@tranche/contracts'),
    import('@tranche/kafka'),
    import('@tranche/runtime'),
    import('@tranche/client'),
    import('@tranche/card-encryption'),
  ]);
  return { contracts, kafka, runtime, Tranche, tokenizeCard };
}

/** Makes topics that anybody who reaches Kafka may use, of one run if nothing else is said. Resolves to the stage's `access`. */
export async function makeTopics({ brokers }, { log, topicPrefix = `demo-${randomBytes(4).toString('hex')}.` }) {
  const { contracts, kafka, runtime } = await builtLibraries();
  const warnings = { ...runtime.silentLog, warn: log, error: log };
  const client = kafka.createKafkaClient({ brokers: brokers.split(','), clientId: 'demo' }, warnings);
  const topics = { prefix: topicPrefix, definitions: Object.values(contracts.TOPICS) };
  await kafka.ensureTopics(client, { ...topics, replicationFactor: 1, minInSyncReplicas: 1, log: warnings });
  return { topicPrefix };
}
