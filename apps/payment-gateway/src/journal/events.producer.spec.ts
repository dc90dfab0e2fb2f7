import type { CloudEvent, PaymentEvent } from '@tranche/contracts';
import type { BatchingProducer, ProducerRecord } from '@tranche/kafka';
import type { GatewayConfig } from '../gateway.config.js';
import { EventsProducer } from './events.producer.js';

const PAGE = 'x'.repeat(1024 * 1024);
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
  const events = new EventsProducer({ kafkaTopicPrefix: '' } as GatewayConfig, producer);
  await events.publish(Array.from({ length: 8 }, (_, at) => event(`page-${at}`, PAGE)));
  expect(parts).toEqual([3, 3, 2]);
  await events.publish([event('small'), event('large', PAGE.repeat(6)), event('after')]);
  expect(parts.slice(3)).toEqual([1, 1, 1]);
});
