/**
 * `npm run demo`: from a fresh clone to payments played through on real Kafka, Redis and HTTP. `-- --json` ends with one JSON line,
 * `-- --keep` stays up and prints the addresses.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bootstrap } from './bootstrap.mjs';
import { platformAt } from './demo/platform.mjs';
import { SCENARIOS } from './demo/scenarios.mjs';
import { openShop } from './demo/shop.mjs';
import { Story } from './demo/story.mjs';
import { summary, timelineLines } from './demo/timeline.mjs';
import { startInfrastructure } from './infra.mjs';
import { freePorts } from './ports.mjs';
import { Expected, runTool, stopAll } from './processes.mjs';
import { createLog } from './progress.mjs';
import { environments, SERVICES, startService } from './services.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const { values: options } = parseArgs({
  options: { json: { type: 'boolean', default: false }, keep: { type: 'boolean', default: false } },
});
const begun = performance.now();
const log = createLog();
const print = options.json ? (line) => console.error(line) : (line) => console.log(line);
const ACCOUNTS_FILE = 'config/accounts.demo.json';
const CHECKOUT_ORIGIN = 'http://127.0.0.1:4050';

await runTool(
  async ({ held, signal }) => {
    const [infrastructure] = await Promise.all([startInfrastructure({ held, log }), bootstrap({ held, log })]);
    const stage = await setStage({ held, infrastructure });
    const results = [];
    for (const scenario of SCENARIOS) {
      signal.throwIfAborted();
      results.push(await play(scenario, stage, signal));
    }
    const result = summary(results, (performance.now() - begun) / 1000);
    print(`\n${result.passed} scenarios passed, ${result.failed} failed, ${result.seconds} s`);
    if (options.json) console.log(JSON.stringify(result));
    if (options.keep) {
      await stage.travelHome();
      await keep(stage, infrastructure);
    }
    await stage.shop.close();
    return result.failed === 0 ? 0 : 1;
  },
  { runsUntilStopped: options.keep },
);

/** Simulator and services on free ports, the topics under a prefix of this run, and a shop that uses them. */
async function setStage({ held, infrastructure: { brokers, redisUrl } }) {
  const ports = await portsForServices();
  const topicPrefix = `demo-${randomBytes(4).toString('hex')}.`;
  const merchants = demoMerchants(ports['notification-ingest'].port);
  const merchantsFile = join(held.folder('tranche-demo-'), 'merchants.json');
  writeFileSync(merchantsFile, JSON.stringify(merchants, undefined, 2));
  const more = {
    'platform-simulator': { NOTIFICATION_RETRY_MS: Array(60).fill(500).join(',') },
    'cse-token-service': { CSE_ORIGINS: CHECKOUT_ORIGIN },
    'payment-gateway': { PLATFORM_TIMEOUT_MS: '2000', DOUBT_GRACE_MS: '1000' },
  };
  const envs = environments({ ports, brokers, redisUrl, topicPrefix, merchantsFile, accountsFile: ACCOUNTS_FILE, more });
  const [contracts, kafka] = await Promise.all([import('@tranche/contracts'), import('@tranche/kafka')]);
  await createTopics({ contracts, kafka, brokers, topicPrefix });

  const services = {};
  const trouble = []; // what the services warned of, printed when a scenario fails
  const start = async (name) => {
    services[name] = await startService(name, { held, env: envs[name], onWarning: (line) => trouble.push(line) });
  };
  log('starting the simulator and the services');
  await Promise.all(Object.keys(SERVICES).map(start));
  log('all services are ready');
  let aheadMs = 0;
  const shop = await openShop({ contracts, kafka, brokers, topicPrefix, nowMs: () => Date.now() + aheadMs });
  const platform = platformAt(services['platform-simulator'].url);
  const stop = (name) => stopAll([services[name].process]);
  /** From now on platform, gateway and shop live so much later, and so does what they did before. */
  const travel = async (ms) => {
    await stop('payment-gateway');
    aheadMs += ms;
    await platform.travel(ms);
    envs['payment-gateway'].CLOCK_OFFSET_MS = String(aheadMs);
    await start('payment-gateway');
  };
  const { identifier, apiKeys, returnUrl } = merchants.find(({ merchant }) => merchant === 'shop-fr');
  return {
    services,
    trouble,
    shop,
    platform,
    returnUrl,
    cseUrl: services['cse-token-service'].url,
    origin: CHECKOUT_ORIGIN,
    shopAccount: { identifier, apiKeyId: apiKeys[0].id },
    start,
    stop,
    travel,
    travelHome: () => (aheadMs === 0 ? undefined : travel(-aheadMs)),
    async kill(name) {
      services[name].process.kill('SIGKILL');
      await services[name].process.exited;
    },
  };
}

async function portsForServices() {
  const free = await freePorts(10);
  const numbered = ([name, wanted]) => [name, Object.fromEntries(Object.keys(wanted).map((which) => [which, free.pop()]))];
  return Object.fromEntries(Object.entries(SERVICES).map(numbered));
}

/** The demo merchants with the addresses of this run. */
function demoMerchants(ingestPort) {
  const base = `http://127.0.0.1:${ingestPort}`;
  const merchants = JSON.parse(readFileSync('config/merchants.demo.json', 'utf8'));
  return merchants.map((merchant) => ({
    ...merchant,
    notificationUrl: `${base}/notifications`,
    returnUrl: `${base}/return/${merchant.merchant}`,
  }));
}

async function createTopics({ contracts, kafka, brokers, topicPrefix }) {
  const silent = { debug: () => undefined, info: () => undefined, warn: log, error: log };
  const client = kafka.createKafkaClient({ brokers: brokers.split(','), clientId: 'demo' }, silent);
  const definitions = Object.values(contracts.TOPICS);
  await kafka.ensureTopics(client, { prefix: topicPrefix, definitions, replicationFactor: 1, minInSyncReplicas: 1, log: silent });
}

/** Plays one scenario and prints its timeline; a failure is printed with what was expected and what was seen. */
async function play({ name, title, play: playStory }, stage, signal) {
  const startedMs = performance.now();
  const entries = [];
  let story;
  const tell = (text, kind = 'note') => entries.push({ kind, text, atMs: performance.now() });
  const storyOf = (rail, orderId, merchant = 'shop-fr') => (story = new Story({ ...stage, tell, rail, merchant, orderId }));
  let failure;
  try {
    await playStory({ ...stage, story: storyOf });
    const unexpected = await stage.shop.next(story.merchant, story.orderId, story.followed, { timeoutMs: 0 });
    if (unexpected) throw new Expected(`one event too many: ${unexpected.type}`);
  } catch (error) {
    signal.throwIfAborted(); // then the services are going away, and that is no failure of the scenario
    failure = error;
  }
  const arrivals = story ? stage.shop.arrivals(story.merchant, story.orderId) : [];
  const isAgain = (event, index) => arrivals.findIndex((other) => other.event.id === event.id) < index;
  entries.push(...arrivals.map(({ event, atMs }, index) => ({ kind: 'event', event, atMs, isAgain: isAgain(event, index) })));
  print(`\n${failure ? 'FAILED' : 'passed'}  ${title}${story ? `  (${story.merchant}/${story.orderId})` : ''}`);
  for (const entry of entries.sort((a, b) => a.atMs - b.atMs)) {
    const lines = timelineLines({ ...entry, elapsedMs: entry.atMs - startedMs }, { colour: !options.json && process.stdout.isTTY });
    lines.forEach((line) => print(line));
  }
  if (failure) print(`  ${failure instanceof Expected ? failure.message : failure.stack}`);
  if (failure) for (const line of stage.trouble.slice(-20)) print(`  ${line}`);
  const seen = failure ? arrivals.map(({ event }) => event) : story.followed;
  return { name, passed: failure === undefined, events: seen.map(({ type }) => type) };
}

async function keep({ services }, { brokers, redisUrl }) {
  print(`\nKAFKA_BROKERS=${brokers} REDIS_URL=${redisUrl}`);
  for (const { name, url, managementUrl } of Object.values(services)) {
    print(`${name.padEnd(20)} ${[...new Set([url, managementUrl])].filter(Boolean).join('  ')}`);
  }
  log('running until Ctrl-C');
  await new Promise(() => setInterval(() => undefined, 60_000));
}
