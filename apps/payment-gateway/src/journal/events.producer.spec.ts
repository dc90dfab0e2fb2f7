import { readMerchants, type CloudEvent, type PaymentEvent } from '@tranche/contracts';
import { Metrics } from '@tranche/service-kit';
import type { BatchingProducer, ProducerRecord } from '@tranche/kafka';
import type { GatewayConfig } from '../gateway.config.js';
import { EventsProducer } from './events.producer.js';

const PAGE = 'x'.repeat(1024 * 1024);
const shops = [{ merchant: 'shop-fr', identifier: 'Shop', accountKey: 'an-account-key-of-the-shop' }];
const read = readMerchants(shops, () => '');
const config = { kafkaTopicPrefix: '', merchants: 'merchants' in read && read.merchants } as GatewayConfig;
const event = (id: string, redirectHtml = ''): CloudEvent<PaymentEvent> => ({
  ...{ id, source: '/spec', type: 'payment.authorize.redirect_required', time: '2026-03-01T10:00:00.000Z' },
  data: { merchant: 'shop-fr', orderId: 'o', redirectHtml },
});

it('sends a batch with many pages in parts, in order, each after the acknowledgement of the one before', async () => {
  const parts: number[] = [];
  let underWay = 0;
  const sendAll = async (records: ProducerRecord[]) => {
    expect(++underWay).toBe(1);
    parts.push(records.length);
    await new Promise((resolve) => setImmediate(resolve));
    underWay--;
  };
  const producer = { sendAll } as unknown as BatchingProducer;
  const events = new EventsProducer(config, producer, new Metrics('spec'));
  await events.publish(Array.from({ length: 8 }, (_, at) => event(`page-${at}`, PAGE)));
  expect(parts).toEqual([3, 3, 2]);
  await events.publish([event('small'), event('large', PAGE.repeat(6)), event('after')]);
  expect(parts.slice(3)).toEqual([1, 1, 1]);
});

it('counts rejections by merchant once Kafka has them, those of merchants that are not configured together', async () => {
  const metrics = new Metrics('spec');
  const sendAll = jest.fn(() => Promise.resolve());
  const events = new EventsProducer(config, { sendAll } as unknown as BatchingProducer, metrics);
  const rejected = (type: string, merchant: string) =>
    ({ type, data: { merchant, orderId: 'o' } }) as unknown as CloudEvent<PaymentEvent>;
  const all = ['command.rejected', 'capture.rejected', 'capture.refused'].map((end) =>
    rejected(`payment.${end}`, 'shop-fr'),
  );
  const strangers = ['nobody', 'no-one'].map((merchant) => rejected('payment.command.rejected', merchant));
  sendAll.mockRejectedValueOnce(new Error('Kafka is away'));
  await expect(events.publish(all)).rejects.toThrow('away');
  await events.publish([...all, ...strangers]);
  const text = await metrics.registry.metrics();
  const lines = text.split('\n').filter((line) => /^tranche_commands_rejected_total.* [1-9]/.test(line));
  const part = (line: string) => /merchant="(.*?)",type="(.*?)".* (\d+)$/.exec(line)?.slice(1);
  expect(lines.map(part)).toEqual([
    ['shop-fr', 'payment.capture.rejected', '1'],
    ['shop-fr', 'payment.command.rejected', '1'],
    ['unknown', 'payment.command.rejected', '2'],
  ]);
});
