import { parse } from 'node:querystring';
import { encodeCloudEvent, equalHash, NOTIFICATION_TYPE, orderKey, platformHash, type EncodedEvent } from '@tranche/contracts';
import { BatchingProducer, createKafkaClient } from '@tranche/kafka';
import { fastify } from 'fastify';
import { MERCHANT } from '../commands.js';

const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * What a webhook needs at least: one Fastify route that verifies HASH over the parameters and awaits the same batched produce with
 * acks=all. No limits, no Nest, no log line, no metric, no content hash, no checks of what the parameters say. RECORD=event: the record
 * that ours writes, put together by hand; RECORD=parameters: the parameters as JSON and no header.
 */
export async function run(): Promise<void> {
  const client = createKafkaClient({ brokers: (process.env.KAFKA_BROKERS ?? '').split(','), clientId: 'bench-peer' }, SILENT);
  const producer = new BatchingProducer({ client, log: SILENT });
  await producer.connect();
  const topic = process.env.TOPIC ?? '';
  const contentOf = process.env.RECORD === 'event' ? asEvent : asParameters;

  async function take(parameters: Parameters): Promise<{ status: number; text: string }> {
    const { IDENTIFIER, ORDERID = '', HASH = '' } = parameters;
    const isSigned = IDENTIFIER === MERCHANT.identifier && equalHash(platformHash(MERCHANT.accountKey, Object.entries(parameters)), HASH);
    if (!isSigned) return { status: 403, text: 'no' };
    const key = orderKey(MERCHANT.merchant, ORDERID);
    await producer.send({ topic, key, ...contentOf(parameters, key) });
    return { status: 200, text: 'OK' };
  }

  const app = fastify();
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    done(null, parse(String(body)));
  });
  app.get('/health', () => 'OK');
  app.get('/notifications', async ({ query }, reply) => {
    const { status, text } = await take(query as Parameters);
    return reply.code(status).type('text/plain').send(text);
  });
  app.post('/notifications', async ({ body }, reply) => {
    const { status, text } = await take(body as Parameters);
    return reply.code(status).type('text/plain').send(text);
  });
  await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
}

type Parameters = Record<string, string>;

function asParameters(parameters: Parameters): { value: Buffer } {
  return { value: Buffer.from(JSON.stringify(parameters)) };
}

function asEvent({ HASH: id = '', ...parameters }: Parameters, subject: string): EncodedEvent {
  const time = new Date().toISOString();
  const { ORDERID: orderId, IDENTIFIER: identifier, OPERATIONTYPE: operationType, TRANSACTIONID: transactionId } = parameters;
  const { EXECCODE: execCode, CURRENCY: currency, MESSAGE: message, DESCRIPTOR: descriptor, LANGUAGE: language } = parameters;
  const data = {
    ...{ merchant: MERCHANT.merchant, orderId, identifier, operationType, transactionId, execCode, amount: Number(parameters.AMOUNT) },
    ...{ currency, message, descriptor, language, extraData: parameters.EXTRADATA, parameters, flags: [], receivedAt: time },
  };
  return encodeCloudEvent({ id, source: 'bench-peer', type: NOTIFICATION_TYPE, time, subject, data });
}
