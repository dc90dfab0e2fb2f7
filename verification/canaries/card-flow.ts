import { constants, createPublicKey, publicEncrypt, randomUUID } from 'node:crypto';
import { COMMAND_TOPICS, encodeCloudEvent, orderKey, topicName } from '@tranche/contracts';
import { BatchingProducer, type KafkaClient } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { aCardPayment, aCommand } from '@tranche/testing';
import { CARD_NAMES } from './canaries.js';
import type { Planted } from './planted.js';

const TIMEOUT_MS = 60_000;

export async function cardTokenOf(
  { card, apiKeyId }: Planted,
  { cseUrl, origin, simulatorUrl }: PageAddresses,
): Promise<string> {
  const { encryptionKeyId, encryptionPublicKey } = await post(`${cseUrl}/v1/cse-keys`, { apiKeyId }, { origin });
  const key = createPublicKey({ key: Buffer.from(encryptionPublicKey ?? '', 'base64'), format: 'der', type: 'spki' });
  const plaintext = JSON.stringify({
    CARDCODE: card.number,
    CARDVALIDITYDATE: '12-49',
    CARDCVV: card.cvv,
    SELECTEDBRAND: 'visa',
  });
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  const encrypted = publicEncrypt({ key, padding, oaepHash: 'sha1' }, Buffer.from(plaintext)).toString('base64');
  const record = { ENCRYPTEDDATA: encrypted, ENCRYPTIONKEYID: encryptionKeyId, APIKEYID: apiKeyId };
  const { EXECCODE, HFTOKEN } = await post(`${simulatorUrl}/tokenizer`, record, { origin });
  if (HFTOKEN === undefined) throw new Error(`the tokenizer answered ${EXECCODE}`);
  return HFTOKEN;
}

export interface PageAddresses {
  readonly cseUrl: string;
  readonly origin: string;
  readonly simulatorUrl: string;
}

/** Sends a payment with the token, and commands that are refused because they hold a card number. */
export async function sendCardCommands(
  client: KafkaClient,
  topicPrefix: string,
  { hfToken, orderPrefix, number }: { hfToken: string; orderPrefix: string; number: string },
): Promise<void> {
  const producer = new BatchingProducer({ client, log: silentLog });
  const topic = topicName(topicPrefix, COMMAND_TOPICS.card);
  const send = async (orderId: string, fields: Record<string, unknown>) => {
    const data = { ...aCardPayment({ orderId: orderPrefix + orderId, hfToken }), ...fields };
    const command = encodeCloudEvent(aCommand('payment.pay', data, { id: randomUUID() }));
    await producer.send({ topic, key: orderKey(data.merchant, data.orderId), ...command });
  };
  try {
    await send('canary-paid', {});
    await send('canary-described', { description: `card ${number}` });
    await send('canary-unknown-field', { cardCode: number });
    await send('canary-as-token', { hfToken: { number } });
    await send('canary-as-amount', { amount: number });
    await Promise.all(
      CARD_NAMES.map((name) => send(`canary-${name}`, { [name]: number, customer: { [name]: `card ${number}` } })),
    );
    // These are no valid JSON, so they become dead letters.
    const unreadable = CARD_NAMES.flatMap((name) => [
      `{"${name}":"${number}"`,
      `${name}=${number}`,
      `my ${name} is ${number}.`,
    ]);
    await Promise.all(unreadable.map((value) => producer.send({ topic, key: 'canary', value: Buffer.from(value) })));
    await producer.send({ topic, key: number, headers: { note: number }, value: Buffer.from('{') });
  } finally {
    await producer.close();
  }
}

async function post(
  url: string,
  body: object,
  headers: Record<string, string>,
): Promise<Record<string, string | undefined>> {
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
  const answer = await fetch(url, { ...request, signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`${new URL(url).pathname} answered ${answer.status}`);
  return (await answer.json()) as Record<string, string | undefined>;
}
