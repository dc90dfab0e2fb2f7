import { TOPICS } from '@tranche/contracts';
import { Registry } from 'prom-client';
import { silentLog } from '@tranche/runtime';
import { ProduceDeadlineError } from '../errors.js';
import type { ProducedAt, ProducerRecord } from './produce-batch.js';
import { EventAnnouncer } from './event-announcer.js';

const refreshed = { type: 'auth.token.refreshed', subject: 'shop', data: { account: 'shop' } };

describe('the event announcer', () => {
  let sent: ProducerRecord[];
  let answer: () => Promise<ProducedAt>;
  let warnings: Record<string, unknown>[];
  let metrics: Registry;
  let announcer: EventAnnouncer;
  let topicsAreThere: () => void;
  beforeEach(() => {
    sent = [];
    warnings = [];
    answer = () => Promise.resolve({ partition: 0, offset: 0n });
    metrics = new Registry();
    announcer = new EventAnnouncer({
      producer: {
        send: (record) => {
          sent.push(record);
          return answer();
        },
      },
      topicPrefix: 'test.',
      ready: new Promise<void>((resolve) => (topicsAreThere = resolve)),
      source: 'auth-service',
      log: { ...silentLog, warn: (fields) => void warnings.push(fields as Record<string, unknown>) },
      metrics,
    });
    if (!expect.getState().currentTestName?.includes('topics')) topicsAreThere();
  });
  const announce = (event: { type: string; data: object } = refreshed) =>
    announcer.announce(TOPICS.authEvents, 'shop', event);
  const count = async (name: string) =>
    (await metrics.getSingleMetric(name)?.get())?.values.map(({ labels, value }) => ({ ...labels, value }));

  it('writes a CloudEvent under its key', async () => {
    announce();
    await announcer.close();
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ topic: 'test.auth.events.v1', key: 'shop' });
    expect(sent[0]?.headers).toMatchObject({
      ce_type: 'auth.token.refreshed',
      ce_source: 'auth-service',
      ce_subject: 'shop',
    });
    expect(JSON.parse(String(sent[0]?.value))).toEqual({ account: 'shop' });
    expect(await count('kafka_events_announced_total')).toEqual([{ topic: 'auth.events.v1', value: 1 }]);
  });

  it('keeps what happens before the topics are there until they are', async () => {
    announce();
    await new Promise(setImmediate);
    expect(sent).toEqual([]);
    topicsAreThere();
    await announcer.close();
    expect(sent).toHaveLength(1);
  });

  it('gives each event an id of its own', async () => {
    announce();
    announce();
    await announcer.close();
    expect(new Set(sent.map(({ headers }) => headers?.ce_id)).size).toBe(2);
  });

  it.each([
    ['failed', () => Promise.reject(new Error('away'))],
    ['deadline', () => Promise.reject(new ProduceDeadlineError('test.auth.events.v1', 10_000, false))],
    [
      'failed',
      () => {
        throw new Error('thrown at once');
      },
    ],
  ])(
    'counts and logs what Kafka does not take (%s), and throws nothing [Ours.service-events]',
    async (reason, fails) => {
      answer = fails;
      for (let i = 0; i < 3; i++) announce();
      await announcer.close();
      expect(await count('kafka_events_dropped_total')).toEqual([{ topic: 'auth.events.v1', reason, value: 3 }]);
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toMatchObject({ topic: 'auth.events.v1', type: 'auth.token.refreshed', reason });
    },
  );

  it('throws nothing for what cannot be encoded', async () => {
    announce({ type: 'auth.token.refreshed', data: { big: 1n } });
    await announcer.close();
    expect(await count('kafka_events_dropped_total')).toEqual([
      { topic: 'auth.events.v1', reason: 'failed', value: 1 },
    ]);
  });

  it('lets 1,000 events wait and drops the others', async () => {
    answer = () => new Promise(() => undefined);
    for (let i = 0; i < 1_003; i++) announce();
    expect(await count('kafka_events_dropped_total')).toEqual([
      { topic: 'auth.events.v1', reason: 'overloaded', value: 3 },
    ]);
  });

  it('waits for what was announced when it closes, and takes nothing after that', async () => {
    let land: (at: ProducedAt) => void = () => undefined;
    answer = () => new Promise((resolve) => (land = resolve));
    announce();
    const closed = announcer.close();
    await new Promise(setImmediate);
    land({ partition: 0, offset: 0n });
    await closed;
    expect(await count('kafka_events_announced_total')).toEqual([{ topic: 'auth.events.v1', value: 1 }]);
    announce();
    expect(sent).toHaveLength(1);
    expect(await count('kafka_events_dropped_total')).toEqual([
      { topic: 'auth.events.v1', reason: 'closed', value: 1 },
    ]);
  });

  it('waits no longer than the timeout, and counts remaining events as dropped, once', async () => {
    let fail: (error: Error) => void = () => undefined;
    answer = () => new Promise((_, reject) => (fail = reject));
    announce();
    await announcer.close(5);
    expect(await count('kafka_events_dropped_total')).toEqual([
      { topic: 'auth.events.v1', reason: 'closed', value: 1 },
    ]);
    expect(warnings).toHaveLength(1);
    fail(new Error('away'));
    await announcer.close();
    expect(await count('kafka_events_dropped_total')).toEqual([
      { topic: 'auth.events.v1', reason: 'closed', value: 1 },
    ]);
  });
});
