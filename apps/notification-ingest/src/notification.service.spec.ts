import { TOPICS } from '@tranche/contracts';
import type { BatchingProducer } from '@tranche/kafka';
import { signed, type Parameter } from '@tranche/platform';
import { createLogger, Metrics } from '@tranche/service-kit';
import type { IngestConfig } from './ingest.config.js';
import type { FailureLimits } from './limits/failure-limits.store.js';
import { NotificationController } from './notification.controller.js';
import { NotificationProducer } from './notification.producer.js';
import { NotificationService } from './notification.service.js';
import { QuarantineService } from './quarantine/quarantine.service.js';
import { merchant } from '../test/merchant.js';

const capture = (more: Record<string, string> = {}): Parameter[] =>
  Object.entries({ IDENTIFIER: 'Shop', ORDERID: 'order 1', OPERATIONTYPE: 'capture', EXECCODE: '0000', ...more });

/** The webhook with a Kafka double that acknowledges a record when the test says so. */
function webhook() {
  const sent: { topic: string; take: () => void; refuse: (error: Error) => void }[] = [];
  const kafka = {
    send: ({ topic }: { topic: string }) =>
      new Promise<void>((take, refuse) => {
        sent.push({ topic, take, refuse });
      }),
  } as unknown as BatchingProducer;
  const config = {
    kafkaTopicPrefix: '',
    publishTimeoutMs: 60_000,
    maxWaitingNotifications: 10,
    maxWaitingBytes: 1_000_000,
    merchants: {
      all: [merchant],
      byName: () => merchant,
      byIdentifier: (identifier: string) => (identifier === merchant.identifier ? merchant : undefined),
    },
  } as unknown as IngestConfig;
  const log = createLogger({ name: 'test', destination: { write: () => undefined } });
  const metrics = new Metrics('test');
  const limits = { takeLine: () => true, takeQuarantine: () => Promise.resolve('kept') } as unknown as FailureLimits;
  const producer = new NotificationProducer(kafka, config, metrics);
  const quarantine = new QuarantineService(producer, limits, log, metrics);
  const controller = new NotificationController(new NotificationService(config, producer, quarantine, log, metrics));
  const post = (parameters: readonly Parameter[]) => controller.receive(parameters, '192.0.2.1', {});
  return { sent, post };
}

/** Returns the answer, or `no answer` if it still waits for Kafka after all other work is done. */
async function soFar(answer: Promise<unknown>): Promise<unknown> {
  let state: unknown = 'no answer';
  void answer.then(
    (text) => (state = text),
    (error: unknown) => (state = error),
  );
  await new Promise((resolve) => setImmediate(resolve));
  return state;
}

describe('the answer to a notification', () => {
  it.each([
    [TOPICS.notifications.name, capture()],
    [TOPICS.notificationsQuarantine.name, capture({ ORDERID: '' })],
  ])('is OK only once Kafka has it on %s', async (topic, parameters) => {
    const { sent, post } = webhook();
    const answer = post(signed(parameters, 'the-key'));
    expect(await soFar(answer)).toBe('no answer');
    expect(sent.map((record) => record.topic)).toEqual([topic]);
    sent[0]!.take();
    expect(await answer).toBe('OK');
  });

  it.each([
    ['names an order', capture()],
    ['names none', capture({ ORDERID: '' })],
  ])('is 503 where Kafka does not take one that %s', async (_, parameters) => {
    const { sent, post } = webhook();
    const answer = post(signed(parameters, 'the-key'));
    expect(await soFar(answer)).toBe('no answer');
    sent[0]!.refuse(new Error('no leader'));
    await expect(answer).rejects.toMatchObject({ status: 503, code: 'not_stored' });
  });

  it.each([
    ['signed with another key', signed(capture(), 'not-the-key')],
    ['changed after it was signed', [...signed(capture(), 'the-key'), ['AMOUNT', '1'] as const]],
    ['of an unknown IDENTIFIER', signed(capture({ IDENTIFIER: 'Nobody' }), 'the-key')],
  ])('is 403 where it is %s, which goes to quarantine and nowhere else', async (_, parameters) => {
    const { sent, post } = webhook();
    await expect(post(parameters)).rejects.toMatchObject({ status: 403, code: 'hash_mismatch' });
    await soFar(Promise.resolve());
    expect(sent.map(({ topic }) => topic)).toEqual([TOPICS.notificationsQuarantine.name]);
  });
});
