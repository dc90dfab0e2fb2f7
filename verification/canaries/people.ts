import { constants, createPublicKey, publicEncrypt, randomUUID } from 'node:crypto';
import { COMMAND_TOPICS, encodeCloudEvent, orderKey, topicName } from '@tranche/contracts';
import { BatchingProducer, type KafkaClient } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { aCardPayment, aCommand, anAddress } from '@tranche/testing';
import { ask, sendJson } from '../ask.js';
import { CARD_NAMES } from './canaries.js';
import type { Planted } from './planted.js';

const TIMEOUT_MS = 60_000;
const MOST_AGAIN = 3;

/** Encrypts the planted card as a page does, and resolves to the tokenizer's HFTOKEN. */
export async function cardTokenOf(
  { card, apiKeyId }: Planted,
  { cseUrl, origin, simulatorUrl }: Record<'cseUrl' | 'origin' | 'simulatorUrl', string>,
): Promise<string> {
  const post = (url: string, body: object) =>
    ask<Record<string, string | undefined>>(url, { body, headers: { origin }, timeoutMs: TIMEOUT_MS });
  const { encryptionKeyId, encryptionPublicKey } = await post(`${cseUrl}/v1/cse-keys`, { apiKeyId });
  const key = createPublicKey({ key: Buffer.from(encryptionPublicKey ?? '', 'base64'), format: 'der', type: 'spki' });
  const data = { CARDCODE: card.number, CARDVALIDITYDATE: '12-49', CARDCVV: card.cvv, SELECTEDBRAND: 'visa' };
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  const encrypted = publicEncrypt({ key, padding, oaepHash: 'sha1' }, Buffer.from(JSON.stringify(data)));
  const record = { ENCRYPTEDDATA: encrypted.toString('base64'), ENCRYPTIONKEYID: encryptionKeyId, APIKEYID: apiKeyId };
  const { EXECCODE, HFTOKEN } = await post(`${simulatorUrl}/tokenizer`, record);
  if (HFTOKEN === undefined) throw new Error(`the tokenizer answered ${EXECCODE}`);
  return HFTOKEN;
}

/** Sends a payment with the token, and commands that are refused because they hold a card number. */
export async function sendCardCommands(
  client: KafkaClient,
  topicPrefix: string,
  { hfToken, number }: { hfToken: string; number: string },
): Promise<void> {
  const producer = new BatchingProducer({ client, log: silentLog });
  const topic = topicName(topicPrefix, COMMAND_TOPICS.card);
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
export async function buyAtShop(shopUrl: string, hfToken: string, number: string): Promise<void> {
  const { title, phone, ...address } = anAddress();
  const customer = { ...address, email: 'jeanne@example.com' };
  const order = {
    ...{ key: randomUUID(), method: 'card', cart: [{ sku: 'lamp-hazel', quantity: 1 }], customer },
    card: { hfToken, ageMs: 500, selectedBrand: 'visa', cardFullName: 'Jeanne Martin' },
  };
  const post = (body: object) =>
    sendJson(`${shopUrl}/api/orders`, { body, headers: { origin: shopUrl }, timeoutMs: TIMEOUT_MS });
  let bought = await post(order);
  // Retries as the page does: the same key means the same order.
  for (let again = 0; bought.status === 503 && again < MOST_AGAIN; again++) bought = await post(order);
  if (!bought.ok) throw new Error(`the shop answered ${bought.status} ${await bought.text()}`);
  const withCard = { customer: { ...customer, address: number }, card: { CARDCODE: number, hfToken } };
  const refused = await post({ ...order, key: randomUUID(), ...withCard });
  if (refused.status < 400) throw new Error(`the shop took an order with a card number in it: ${refused.status}`);
}

/** Uses the password grant as a client of the token API does, with the right and with a wrong password. */
export async function askWithPassword(simulatorUrl: string, { username, password }: Planted['person']): Promise<void> {
  const answers: number[] = [];
  for (const body of [
    { username, password },
    { username: password, password: username },
    { username, password: 1 },
  ])
    answers.push((await sendJson(`${simulatorUrl}/iam/token`, { body })).status);
  if (answers.join() !== '200,401,400')
    throw new Error(`the token API answered ${answers.join()} to the password grant`);
}
