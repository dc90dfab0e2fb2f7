import { randomUUID } from 'node:crypto';
import type { ConsumedRecord } from '@tranche/kafka';
import { Registry } from 'prom-client';
import { ClientMetrics } from './telemetry.js';
import { EventDelivery } from './event-delivery.js';
import type { SubscribeOptions } from './subscription.js';

const CONFLICT = 'payment.conflict.detected';

function record(
  headers: Record<string, string> = {},
  value = '{"merchant":"shop-fr","orderId":"o","flags":["other_amount"]}',
): ConsumedRecord {
  const attributes = {
    ce_specversion: '1.0',
    ce_id: randomUUID(),
    ce_source: '/g',
    ce_type: CONFLICT,
    ce_time: '2028-01-31T10:00:00Z',
  };
  const place = {
    topic: 'payments.events.v1',
    partition: 3,
    offset: 7n,
    key: 'shop-fr/o',
    rawKey: Buffer.from('shop-fr/o'),
    timestampMs: 0,
  };
  return { ...place, headers: { ...attributes, ...headers }, value: Buffer.from(value) };
}

function delivering(options: Partial<SubscribeOptions>) {
  const registry = new Registry();
  const lines: { level: string; fields: Record<string, unknown>; message: string }[] = [];
  const at = (level: string) => (fields: Record<string, unknown>, message: string) =>
    void lines.push({ level, fields, message });
  const log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  const delivery = new EventDelivery(
    { group: 'g', on: { [CONFLICT]: () => undefined }, ...options },
    log,
    new ClientMetrics(registry),
  );
  const counted = async () => {
    const { values } = await registry.getSingleMetric('tranche_client_events_total')!.get();
    return Object.fromEntries(values.map(({ labels, value }) => [String(labels['result']), value]));
  };
  return { delivery, lines, counted };
}

const call = (attempt = 1, signal = new AbortController().signal) => ({ attempt, signal, sinceMs: 0 });

it('puts a record aside of which nothing could be read, and says why', async () => {
  const faults: string[] = [];
  const { delivery, counted } = delivering({
    onUnreadable: ({ faults: found }) => void faults.push(...found.map(({ message }) => message)),
  });
  await delivery.handle({ ...record(), headers: {}, value: null, unreadable: 'the batch is no sound gzip' }, call());
  expect(faults).toEqual(['the batch is no sound gzip']);
  expect(await counted()).toEqual({ unreadable: 1 });
});

it('says once of each unknown type that it passes it over, and counts all', async () => {
  const { delivery, lines, counted } = delivering({});
  for (const type of ['payment.new', 'payment.new', 'payment.newer'])
    await delivery.handle(record({ ce_type: type }), call());
  await delivery.handle(record({ ce_type: 'payment.pay.succeeded' }, 'null'), call());
  expect(lines.map(({ level, fields }) => [level, fields['type']])).toEqual([
    ['warn', 'payment.new'],
    ['warn', 'payment.newer'],
  ]);
  expect(await counted()).toEqual({ unknown_type: 3, unwanted: 1 });
});

it('logs where an unreadable record lies and not what is in it', async () => {
  const { delivery, lines, counted } = delivering({});
  await delivery.handle(record({}, 'secret'), call());
  expect(lines).toEqual([
    expect.objectContaining({
      level: 'error',
      fields: expect.objectContaining({ partition: 3, offset: '7', isPutAside: false }),
    }),
  ]);
  expect(JSON.stringify(lines)).not.toContain('secret');
  expect(await counted()).toEqual({ unreadable: 1 });
});

it('does not count it as a failure when a handler gives up because the subscription ends', async () => {
  const onGivenUp = jest.fn();
  const fails = { [CONFLICT]: () => Promise.reject(new Error('interrupted')) };
  const { delivery } = delivering({ on: fails, giveUp: { afterAttempts: 1, onGivenUp } });
  await expect(delivery.handle(record(), call(1, AbortSignal.abort()))).rejects.toThrow('interrupted');
  expect(onGivenUp).not.toHaveBeenCalled();
  await delivery.handle(record(), call());
  expect(onGivenUp).toHaveBeenCalledTimes(1);
});

it('forgets the oldest ids: their events are handled again when redelivered', async () => {
  const handled: string[] = [];
  const { delivery, counted } = delivering({
    rememberedEvents: 1,
    on: { [CONFLICT]: ({ id }) => void handled.push(id) },
  });
  const [one, two] = [record({ ce_id: 'one' }), record({ ce_id: 'two' })];
  for (const again of [one, one, two, one]) await delivery.handle(again, call());
  expect(handled).toEqual(['one', 'two', 'one']);
  expect(await counted()).toEqual({ handled: 3, repeated: 1 });
});
