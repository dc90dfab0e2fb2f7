import { encodeCloudEvent, NOTIFICATION_TYPE, orderKey, type EncodedEvent } from '@tranche/contracts';
import { equalHash, platformHash } from '@tranche/platform';
import { BatchingProducer, createKafkaClient } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { MERCHANT } from '../commands.js';

export type Parameters = Record<string, string>;

/** Resolves to false if HASH is wrong, and to true when the parameters are stored. */
export type Webhook = (parameters: Parameters) => Promise<boolean>;

/**
 * Does the least that a webhook must: it verifies HASH and awaits the same batched produce with acks=all. It has no limits, log lines,
 * metrics, content hash or checks of the parameters. RECORD=event builds the same record as ours by hand; RECORD=parameters writes the
 * parameters as JSON without headers.
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
