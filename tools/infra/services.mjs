/** Starts built apps as processes on given ports and waits until each is ready, for stack and demo. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SERVICES } from './apps.mjs';
import { Expected } from './processes.mjs';
import { builtFile } from './bundles.mjs';
import { cardLines } from '../demo/test-cards.mjs';
import { readJson } from './read-json.mjs';

const READY_TIMEOUT_MS = 180_000;

/** checkout-demo is this merchant's shop. */
export const CHECKOUT_MERCHANT = 'shop-fr';
const OPERATORS_FILE = 'config/operators.demo.json';
/** The password of its desk on this machine. */
export const DESK_PASSWORD = 'demo';

/** Returns the environment of each app that makes all of them one stack. `ports` has the shape of SERVICES. */
export function environments({
  ports,
  brokers,
  redisUrl,
  databaseUrl,
  topicPrefix = '',
  merchantsFile,
  accountsFile,
  more = {},
}) {
  const addressOf = (name) => `http://127.0.0.1:${ports[name].port}`;
  const simulator = addressOf('platform-simulator');
  const caller = readJson(accountsFile).callers.find((one) => one.caller === 'payment-gateway');
  const shop = readJson(merchantsFile).find(({ merchant }) => merchant === CHECKOUT_MERCHANT);
  const kafka = { KAFKA_BROKERS: brokers, KAFKA_TOPIC_PREFIX: topicPrefix };
  const environment = {
    'platform-simulator': {
      HOST: '127.0.0.1',
      PUBLIC_URL: simulator,
      MERCHANTS_FILE: merchantsFile,
      ACCOUNTS_FILE: accountsFile,
    },
    'auth-service': {
      ...kafka,
      AUTH_URL: simulator,
      ACCOUNTS_FILE: accountsFile,
      REDIS_URL: redisDatabase(redisUrl, 1),
      REDIS_KEY_PREFIX: `${topicPrefix}tranche:auth:`,
      TOKEN_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    },
    'cse-token-service': {
      ...kafka,
      CSE_KEYS_URL: `${simulator}/cseKeys`,
      CSE_ORIGINS: addressOf('checkout-demo'),
      MERCHANTS_FILE: merchantsFile,
      REDIS_URL: redisDatabase(redisUrl, 3),
      REDIS_KEY_PREFIX: `${topicPrefix}tranche:cse:`,
    },
    'notification-ingest': {
      ...kafka,
      REDIS_URL: redisDatabase(redisUrl, 2),
      REDIS_KEY_PREFIX: `${topicPrefix}tranche:ingest:`,
      MERCHANTS_FILE: merchantsFile,
    },
    'payment-gateway': {
      ...kafka,
      REDIS_URL: redisDatabase(redisUrl, 0),
      MERCHANTS_FILE: merchantsFile,
      PAYMENT_URL: simulator,
      AUTH_SERVICE_URL: addressOf('auth-service'),
      AUTH_SERVICE_KEY: caller?.key,
      ENVIRONMENT_ID: 'demo',
      OPERATORS_FILE,
    },
    operations: {
      ...kafka,
      DATABASE_URL: databaseUrl,
      DATABASE_SCHEMA: schemaOf(topicPrefix),
      GATEWAY_URL: `http://127.0.0.1:${ports['payment-gateway'].managementPort}`,
      GATEWAY_KEY: readJson(OPERATORS_FILE).find(({ role }) => role === 'viewer').key,
      OPERATORS_FILE,
    },
    'checkout-demo': {
      ...kafka,
      REDIS_URL: redisDatabase(redisUrl, 4),
      REDIS_KEY_PREFIX: `${topicPrefix}tranche:checkout:`,
      MERCHANT: CHECKOUT_MERCHANT,
      API_KEY_ID: shop?.apiKeys?.[0]?.id,
      CSE_KEYS_URL: `${addressOf('cse-token-service')}/v1/cse-keys`,
      TOKENIZER_URL: `${simulator}/tokenizer`,
      PUBLIC_URL: addressOf('checkout-demo'),
      DESK_PASSWORD,
    },
  };
  return Object.fromEntries(
    Object.keys(SERVICES).map((name) => {
      const { port, managementPort } = ports[name];
      const own = {
        ...(port && { PORT: String(port) }),
        ...(managementPort && { MANAGEMENT_PORT: String(managementPort) }),
      };
      return [name, { BIND_ADDRESS: '127.0.0.1', ...environment[name], ...own, ...more[name] }];
    }),
  );
}

/** Each run with topics of its own has a schema of its own. */
const schemaOf = (topicPrefix) => `operations_${topicPrefix}`.replace(/\W/g, '_').replace(/_+$/, '');

/** Returns the URL of another database on the same server; the one in `redisUrl` has offset 0. */
export function redisDatabase(redisUrl, offset) {
  const url = new URL(redisUrl);
  url.pathname = `/${Number(url.pathname.slice(1) || 0) + offset}`;
  return url.href;
}

/**
 * Starts one app. Resolves to `{ name, url, managementUrl, process }` when it is ready; rejects with its last lines if it ends before.
 * `onWarning` gets its warnings and errors, `onOutput` all lines.
 */
export async function startService(name, { held, env, onWarning, onOutput }) {
  const onLine = (line) => {
    onOutput?.(line);
    const trouble = troubleIn(line);
    if (trouble) onWarning(`${name}: ${trouble}`);
  };
  const process_ = held.start(process.execPath, [builtFile(name)], { env: { ...systemVariables(), ...env }, onLine });
  const url = env.PORT && `http://127.0.0.1:${env.PORT}`;
  const managementUrl = env.MANAGEMENT_PORT ? `http://127.0.0.1:${env.MANAGEMENT_PORT}` : url;
  await ready(name, managementUrl, process_);
  return { name, url, managementUrl, process: process_ };
}

/** Writes an app's environment for `node --env-file`. Returns the command that starts the app with it, in another terminal too. */
export function startCommand(name, env, folder) {
  const file = join(folder, `${name}.env`);
  const given = Object.entries(env).filter(([, value]) => value !== undefined);
  writeFileSync(file, given.map(([variable, value]) => `${variable}='${value}'\n`).join(''), { mode: 0o600 });
  return `node --env-file=${JSON.stringify(file)} ${relative('.', builtFile(name))}`;
}

/** Operators whom the gateway knows here: two of them can decide together, and one only looks. */
const operatorLines = (urls) => [
  '',
  `operators of ${urls.map((url) => `${url}/v1/`).join(' and ')}, as "Authorization: Bearer KEY":`,
  ...readJson(OPERATORS_FILE).map(({ operator, role, key }) => `          ${key.padEnd(41)}${operator}, ${role}`),
];

/** The settings of `tranche drill`, with the key of an operator; undefined where operations or the simulator is left out. */
export function drillSettings(services, { brokers, redisUrl, topicPrefix }) {
  const urlOf = (name) => services.find((one) => one.name === name)?.url;
  const [OPERATIONS_URL, SIMULATOR_URL] = [urlOf('operations'), urlOf('platform-simulator')];
  if (OPERATIONS_URL === undefined || SIMULATOR_URL === undefined) return undefined;
  return {
    ...{ OPERATIONS_URL, SIMULATOR_URL, KAFKA_BROKERS: brokers, REDIS_URL: redisUrl },
    ...(topicPrefix && { KAFKA_TOPIC_PREFIX: topicPrefix }),
    TRANCHE_TOKEN: readJson(OPERATORS_FILE).find(({ role }) => role === 'operator').key,
  };
}

/** A line that makes `tranche` a command of the shell it is pasted into, in any folder; a number then means a row of that shell's last list. */
function trancheLines({ TRANCHE_TOKEN, ...settings }) {
  const env = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const approver = readJson(OPERATORS_FILE).find(({ role }) => role === 'approver');
  return [
    'tranche   paste this into a shell, then: tranche attention, tranche drill, tranche --help',
    `tranche() { ${env.join(' ')} TRANCHE_TOKEN="\${TRANCHE_TOKEN:-${TRANCHE_TOKEN}}" node ${JSON.stringify(resolve(builtFile('cli')))} "$@"; }`,
    `          the second person: TRANCHE_TOKEN=${approver.key} tranche approve`,
    '',
  ];
}

/** The checkout is listed first, because people want to open it. */
export function addressLines(services, { brokers, redisUrl, databaseUrl, topicPrefix }, drillPage) {
  const checkout = services.find(({ name }) => name === 'checkout-demo');
  const gateway = services.find(({ name }) => name === 'payment-gateway');
  const operations = services.find(({ name }) => name === 'operations');
  const drill = drillSettings(services, { brokers, redisUrl, topicPrefix });
  const people = readJson(OPERATORS_FILE).filter(({ role }) => role !== 'viewer');
  const ofOperators = [gateway?.managementUrl, operations?.url].filter(Boolean);
  const addresses = ({ name, url, managementUrl }) =>
    `${name.padEnd(20)} ${[...new Set([url, managementUrl])].filter(Boolean).join('  ')}`;
  return [
    ...(checkout ? [`checkout  ${checkout.url}/`, ...cardLines.map((line) => `          ${line}`)] : []),
    ...(checkout ? [`its desk  ${checkout.url}/desk  (any name, password ${DESK_PASSWORD})`, ''] : []),
    ...(operations
      ? [`operators ${operations.url}/  (what needs a person; two people decide)`, ...people.map(({ operator, role, key }) => `          ${key.padEnd(41)}${operator}, ${role}`), ''] // prettier-ignore
      : []),
    ...(drillPage ? [`drill     ${drillPage.url}  (ten bad situations, by buttons)`] : []),
    ...(drill ? trancheLines(drill) : []),
    [`KAFKA_BROKERS=${brokers} REDIS_URL=${redisUrl}`, ...(databaseUrl ? [`DATABASE_URL=${databaseUrl}`] : [])].join(
      ' ',
    ),
    ...services.map(addresses),
    ...(gateway ? operatorLines(ofOperators) : []),
  ];
}

/** Returns warnings and errors of a service's log: a JSON line as `level message`, any other line as it is. */
export function troubleIn(line) {
  try {
    const { level, msg, message, error, err } = JSON.parse(line);
    const isTrouble = typeof level === 'number' ? level >= 40 : ['warn', 'error', 'fatal'].includes(level);
    const cause = error ?? err?.message;
    return isTrouble ? [msg ?? message, cause].filter(Boolean).join(': ') : undefined;
  } catch {
    return line.trim() || undefined;
  }
}

async function ready(name, managementUrl, process_) {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  let reason = 'no answer';
  while (process_.exitCode === undefined && performance.now() < deadline) {
    try {
      const answer = await fetch(`${managementUrl}/health/ready`, { signal: AbortSignal.timeout(2_000) });
      if (answer.ok) return;
      reason = `${answer.status} ${await answer.text()}`;
    } catch (error) {
      reason = String(error.cause?.message ?? error.message);
    }
    await delay(50);
  }
  throw new Expected(`${name} ${process_.gaveUp() ?? `is not ready after ${READY_TIMEOUT_MS / 1000} s: ${reason}`}`);
}

/** The tools' own variables must not reach a service, except those passed on purpose. */
const PASSED_ON = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'LOG_LEVEL', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'NODE_EXTRA_CA_CERTS'];
const systemVariables = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED_ON.includes(name)));
