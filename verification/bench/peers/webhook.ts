import { encodeCloudEvent, NOTIFICATION_TYPE, orderKey, type EncodedEvent } from '@tranche/contracts';
import { equalHash, platformHash } from '@tranche/platform';
import { BatchingProducer, createKafkaClient } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { MERCHANT } from '../commands.js';

export type Parameters = Record<string, string>;

/** False where nobody signed the parameters; true when they are stored. */
export type Webhook = (parameters: Parameters) => Promise<boolean>;

/**
 * What a webhook needs at least: HASH verified over the parameters, and the same batched produce with acks=all awaited. No limits, no log
 * line, no metric, no content hash, no checks of what the parameters say. RECORD=event: the record that ours writes, put together by hand;
 * RECORD=parameters: the parameters as JSON and no header.
 */
export async function openWebhook(): Promise<Webhook> {
  const client = createKafkaClient(
    { brokers: (process.env.KAFKA_BROKERS ?? '').split(','), clientId: 'bench-peer' },
    silentLog,
  );
  const producer = new BatchingProducer({ client, log: silentLog });
  await producer.connect();
  const topic = process.env.TOPIC ?? '';
  const contentOf = process.env.RECORD === 'event' ? asEvent : asParameters;

  return async (parameters) => {
    const { IDENTIFIER, ORDERID = '', HASH = '' } = parameters;
    const isSigned =
      IDENTIFIER === MERCHANT.identifier &&
      equalHash(platformHash(MERCHANT.accountKey, Object.entries(parameters)), HASH);
    if (!isSigned) return false;
    const key = orderKey(MERCHANT.merchant, ORDERID);
    await producer.send({ topic, key, ...contentOf(parameters, key) });
    return true;
  };
}

function asParameters(parameters: Parameters): { value: Buffer } {
  return { value: Buffer.from(JSON.stringify(parameters)) };
}

function asEvent({ HASH: id = '', ...parameters }: Parameters, subject: string): EncodedEvent {
  const time = new Date().toISOString();
  const {
    ORDERID: orderId,
    IDENTIFIER: identifier,
    OPERATIONTYPE: operationType,
    TRANSACTIONID: transactionId,
  } = parameters;
  const {
    EXECCODE: execCode,
    CURRENCY: currency,
    MESSAGE: message,
    DESCRIPTOR: descriptor,
    LANGUAGE: language,
  } = parameters;
  const data = {
    ...{
      merchant: MERCHANT.merchant,
      orderId,
      identifier,
      operationType,
      transactionId,
      execCode,
      amount: Number(parameters.AMOUNT),
    },
    ...{
      currency,
      message,
      descriptor,
      language,
      extraData: parameters.EXTRADATA,
      parameters,
      flags: [],
      receivedAt: time,
    },
  };
  return encodeCloudEvent({ id, source: 'bench-peer', type: NOTIFICATION_TYPE, time, subject, data });
}
