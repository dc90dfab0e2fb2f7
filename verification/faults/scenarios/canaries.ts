import { constants, createPublicKey, publicEncrypt, randomUUID } from 'node:crypto';
import { COMMAND_TOPICS, encodeCloudEvent, orderKey, topicName } from '@tranche/contracts';
import { BatchingProducer } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { aCardPayment, aCommand, anAddress, startApp } from '@tranche/testing';
import { ask, sendJson } from '../../ask.js';
import { accessTokenCanary, CARD_NAMES, cardTokenCanary } from '../canaries/canaries.js';
import { sendCardData } from '../canaries/misplaced.js';
import { logOf, metricsAt, redisFile, redisPlaces, topicsOf } from '../canaries/places.js';
import { plantFiles, type Planted } from '../canaries/planted.js';
import { leaksIn } from '../canaries/search.js';
import type { Violation } from '../report.js';
import type { Scenario } from '../scenario.js';
import type { Stage } from '../stage.js';
import { MERCHANT } from '../surroundings.js';

/** One fault of each kind that makes services log what they were doing: a death, an outage, a refusal, a lost answer. */
const FAULTS = ['killed-granted', 'platform-answers-lost', 'wrong-key-then-corrected', 'redis-flushed-at-points-1'];
/** The simulator may receive card data, and it has no metrics. */
const SIMULATOR = 'platform-simulator';
/** At this level the logs contain the most. */
const LOG_LEVEL = 'debug';
/** The address of the shop's pages, from which card data is taken. */
const ORIGIN = 'http://shop.example';
const TIMEOUT_MS = 60_000;
const MOST_RETRIES = 3;

export const canaryScenarios = (scenarios: readonly Scenario[]): Scenario[] =>
  scenarios.filter(({ name }) => FAULTS.includes(name)).map(withCanaries);

/** Plays a scenario with secrets of its own in every service, and searches what the run leaves for them. */
function withCanaries({ crashPoint: _, ...scenario }: Scenario): Scenario {
  return {
    ...{ ...scenario, name: `canaries-${scenario.name}`, fault: 'planted secrets', weight: 0 },
    settings(folder) {
      const planted = plantFiles(folder);
      const { files } = planted;
      return {
        ...{ planted, merchantsFile: files.merchants, logLevel: LOG_LEVEL },
        gateway: { AUTH_SERVICE_KEY: planted.serviceKey, OPERATORS_FILE: files.operators },
        simulator: { ACCOUNTS_FILE: files.persons },
      };
    },
    async run(stage, load) {
      const planted = stage.options.settings!.planted!;
      const settings = settingsOf(stage, planted);
      const [auth, cse] = await Promise.all([
        stage.start('auth-service', settings.auth),
        stage.start('cse-token-service', settings.cse),
      ]);
      await Promise.all([stage.ready(auth), stage.ready(cse)]);
      // The gateways of the scenario are started later.
      stage.options.settings!.gateway!.AUTH_SERVICE_URL = auth.url;
      // auth-service must refuse an account of the password grant over plain HTTP, and must not print the password in its reason.
      const refusing = { ...settings.auth, ACCOUNTS_FILE: planted.files.persons };
      stage.apps.push(await startApp('auth-service', refusing, { readyPath: undefined }));
      await askWithPassword(stage.simulator.url, planted.person);
      const shop = await stage.start('checkout-demo', { ...settings.shop, CSE_KEYS_URL: `${cse.url}/v1/cse-keys` });
      await stage.ready(shop);
      await scenario.run(stage, load);
      await sendCardCommands(stage, await cardTokenOf(stage, planted, cse.url), planted.cardInCommand);
      await buyAtShop(shop.url, await cardTokenOf(stage, planted, cse.url), planted.cardInCommand);
    },
    afterwards: leaks,
  };
}

function settingsOf({ options: { infrastructure, topicPrefix }, simulator }: Stage, planted: Planted) {
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
      ACCOUNTS_FILE: planted.files.accounts,
      TOKEN_ENCRYPTION_KEY: planted.tokenEncryptionKey,
      REDIS_KEY_PREFIX: `${topicPrefix}auth:`,
    },
    cse: {
      ...common,
      CSE_KEYS_URL: `${simulator.url}/cseKeys`,
      CSE_ORIGINS: ORIGIN,
      CSE_TIMEOUT_MS: '30000',
      MERCHANTS_FILE: planted.files.merchants,
      REQUESTS_PER_MINUTE_PER_ADDRESS: '100000',
      REDIS_KEY_PREFIX: `${topicPrefix}cse:`,
    },
    shop: {
      ...common,
      PUBLIC_URL: ORIGIN,
      MERCHANT: MERCHANT.name,
      API_KEY_ID: planted.apiKeyId,
      TOKENIZER_URL: `${simulator.url}/tokenizer`,
      ATTEMPTS_PER_MINUTE: '100000',
      PUBLISH_TIMEOUT_MS: '30000',
      REDIS_KEY_PREFIX: `${topicPrefix}checkout:`,
    },
  };
}

/** Encrypts the planted card as a page does, and resolves to the tokenizer's HFTOKEN. */
async function cardTokenOf({ simulator }: Stage, { card, apiKeyId }: Planted, cseUrl: string): Promise<string> {
  const post = (url: string, body: object) =>
    ask<Record<string, string | undefined>>(url, { body, headers: { origin: ORIGIN }, timeoutMs: TIMEOUT_MS });
  const { encryptionKeyId, encryptionPublicKey } = await post(`${cseUrl}/v1/cse-keys`, { apiKeyId });
  const key = createPublicKey({ key: Buffer.from(encryptionPublicKey ?? '', 'base64'), format: 'der', type: 'spki' });
  const data = { CARDCODE: card.number, CARDVALIDITYDATE: '12-49', CARDCVV: card.cvv, SELECTEDBRAND: 'visa' };
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  const encrypted = publicEncrypt({ key, padding, oaepHash: 'sha1' }, Buffer.from(JSON.stringify(data)));
  const record = { ENCRYPTEDDATA: encrypted.toString('base64'), ENCRYPTIONKEYID: encryptionKeyId, APIKEYID: apiKeyId };
  const { EXECCODE, HFTOKEN } = await post(`${simulator.url}/tokenizer`, record);
  if (HFTOKEN === undefined) throw new Error(`the tokenizer answered ${EXECCODE}`);
  return HFTOKEN;
}

/** Sends a payment with the token, and commands that are refused because they hold a card number. */
async function sendCardCommands({ client, options }: Stage, hfToken: string, number: string): Promise<void> {
  const producer = new BatchingProducer({ client, log: silentLog });
  const topic = topicName(options.topicPrefix, COMMAND_TOPICS.card);
  const send = async (orderId: string, fields: Record<string, unknown>) => {
    const data = { ...aCardPayment({ orderId: `canary-${orderId}`, hfToken }), ...fields };
    const command = encodeCloudEvent(aCommand('payment.pay', data, { id: randomUUID() }));
    await producer.send({ topic, key: orderKey(data.merchant, data.orderId), ...command });
  };
  try {
    await send('paid', {});
    await send('described', { description: `card ${number}` });
    await send('unknown-field', { cardCode: number });
    await send('as-token', { hfToken: { number } });
    await send('as-amount', { amount: number });
    await Promise.all(CARD_NAMES.map((name) => send(name, { [name]: number, customer: { [name]: `card ${number}` } })));
    // These are no valid JSON, so they become dead letters.
    const unreadable = CARD_NAMES.flatMap((name) => [
      ...[`{"${name}":"${number}"`, `${name}=${number}`, `my ${name} is ${number}.`],
    ]);
    await Promise.all(unreadable.map((value) => producer.send({ topic, key: 'canary', value: Buffer.from(value) })));
    await producer.send({ topic, key: number, headers: { note: number }, value: Buffer.from('{') });
  } finally {
    await producer.close();
  }
}

/** Places an order with the token as the shop's page does, and one with a card number in it, which must be refused. */
async function buyAtShop(shopUrl: string, hfToken: string, number: string): Promise<void> {
  const { title, phone, ...address } = anAddress();
  const customer = { ...address, email: 'jeanne@example.com' };
  const order = {
    ...{ key: randomUUID(), method: 'card', cart: [{ sku: 'lamp-hazel', quantity: 1 }], customer },
    card: { hfToken, ageMs: 500, selectedBrand: 'visa', cardFullName: 'Jeanne Martin' },
  };
  const post = (body: object) =>
    sendJson(`${shopUrl}/api/orders`, { body, headers: { origin: ORIGIN }, timeoutMs: TIMEOUT_MS });
  let bought = await post(order);
  // Retries as the page does: the same key means the same order.
  for (let retry = 0; bought.status === 503 && retry < MOST_RETRIES; retry++) bought = await post(order);
  if (!bought.ok) throw new Error(`the shop answered ${bought.status} ${await bought.text()}`);
  const withCard = { customer: { ...customer, address: number }, card: { CARDCODE: number, hfToken } };
  const refused = await post({ ...order, key: randomUUID(), ...withCard });
  if (refused.status < 400) throw new Error(`the shop took an order with a card number in it: ${refused.status}`);
}

/** Uses the password grant as a client of the token API does, with the right and with a wrong password. */
async function askWithPassword(simulatorUrl: string, { username, password }: Planted['person']): Promise<void> {
  const bodies = [
    { username, password },
    { username: password, password: username },
    { username, password: 1 },
  ];
  const answers: number[] = [];
  for (const body of bodies) answers.push((await sendJson(`${simulatorUrl}/iam/token`, { body })).status);
  if (answers.join() !== '200,401,400') throw new Error(`the password grant was answered ${answers.join()}`);
}

/** Sends card data to services that must not get it, ends all processes, and searches everything that is left. */
async function leaks(stage: Stage): Promise<Violation[]> {
  const { infrastructure, topicPrefix, settings } = stage.options;
  const planted = settings!.planted!;
  const apps = stage.apps.map((app) => ({ name: serviceOf(app.logs) ?? SIMULATOR, app }));
  const alive = apps.filter(({ name, app }) => name !== SIMULATOR && !app.killed);
  // The gateway has only its management port: operators use it, so card data could be sent there.
  const addressed = alive.flatMap(({ name, app }) => [
    ...(name === 'payment-gateway' ? [] : [app.url]),
    app.managementUrl,
  ]);
  await sendCardData(addressed, planted.card, ORIGIN);
  const issued = await ask<Record<'accessTokens' | 'cardTokens', string[]>>(
    `${stage.simulator.url}/simulator/issued-tokens`,
  );
  const metrics = await Promise.all(alive.map(({ name, app }) => metricsAt(name, app.managementUrl)));
  // Stopping the services flushes what they still hold to logs, topics and stores, so it is searched too.
  await Promise.all(apps.map(({ app }) => app.stop()));
  const silent = apps.filter(({ app }) => app.logs.length === 0).map(({ name }) => name);
  if (silent.length > 0) throw new Error(`${silent.join(', ')} logged nothing, so nothing of it was searched`);
  const logs = apps.map(({ name, app }) => logOf(name, app.logs));
  const stored = [...(await redisPlaces(infrastructure.redisUrl)), ...redisFile(infrastructure.redisFolder)];
  const places = [...logs, ...metrics, ...(await topicsOf(stage.client, topicPrefix)), ...stored];
  const canaries = [
    ...planted.canaries,
    ...issued.accessTokens.map(accessTokenCanary),
    ...issued.cardTokens.map(cardTokenCanary),
  ];
  return leaksIn(places, canaries).map((detail) => ({ kind: 'secretsLeft', detail }));
}

const serviceOf = (lines: readonly string[]): string | undefined =>
  /"service":"([a-z-]+)"/.exec(lines.find((line) => line.includes('"service":"')) ?? '')?.[1];
