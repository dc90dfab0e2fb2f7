import { randomUUID } from 'node:crypto';
// eslint-disable-next-line no-restricted-imports -- our own producer writes no header twice
import kafkajs from 'kafkajs';
import { COMMAND_TOPICS, encodeCloudEvent } from '@tranche/contracts';
import { aCapture, aCommand, aPartnerAAuthorization, infrastructure } from '@tranche/testing';
import { deadLettersOf } from './dead-letters.js';
import { joinGatewayStage, type GatewayStack } from './gateway-stack.js';

let stack: GatewayStack;
beforeAll(async () => (stack = await joinGatewayStage()));
afterAll(() => stack.stop());

const recordOf = (orderId: string, time: string) => {
  const data = aPartnerAAuthorization({ orderId });
  return encodeCloudEvent(aCommand('payment.authorize', data, { id: randomUUID(), time }));
};

it('puts bytes that nobody can read aside as they came, and goes on', async () => {
  const bytes = Buffer.from([0xff, 0xfe, 0x00, 0x7b]);
  const key = 'shop-fr/after-unreadable';
  await stack.sendRecord(COMMAND_TOPICS['partner-a'].name, key, bytes, { 'x-own': 'kept' });
  await stack.send('payment.authorize', aPartnerAAuthorization({ orderId: 'after-unreadable' }));
  await stack.event('after-unreadable', 'payment.authorize.redirect_required');

  const letters = await deadLettersOf(stack, [key], 1);
  expect(letters).toHaveLength(1);
  expect(letters[0]?.value?.equals(bytes)).toBe(true);
  expect(letters[0]?.key).toBe(key);
  expect(letters[0]?.headers).toMatchObject({ 'x-own': 'kept' });
}, 120_000);

it('executes a command with a header whose value is null, which clients in other languages write', async () => {
  const { headers, value } = recordOf('null-header', new Date().toISOString());
  const more = { 'x-trace': null, ce_id: [headers.ce_id!, null], ['__proto__']: null };
  await stack.sendRecord(COMMAND_TOPICS['partner-a'].name, 'shop-fr/null-header', value, { ...headers, ...more });
  await stack.event('null-header', 'payment.authorize.redirect_required');
  expect((await stack.ledgerOf('null-header')).calls.map(({ operation }) => operation)).toEqual(['authorization']);
});

it('names every fault of a command that can be read', async () => {
  const data = {
    ...aPartnerAAuthorization({ orderId: 'faulty-command' }),
    amount: -1,
    surprise: true,
    paymentOption: 'cash',
  };
  await stack.send('payment.authorize', data);
  const { data: told } = await stack.event('faulty-command', 'payment.command.rejected');
  expect(told.faults?.map(({ path }) => path).sort()).toEqual(['amount', 'paymentOption', 'surprise']);
  expect((await stack.ledgerOf('faulty-command')).calls).toEqual([]);
});

it('rejects a command that is dated more than 5 minutes after Kafka took it', async () => {
  const { headers, value } = recordOf('dated-ahead', new Date(Date.now() + 360_000).toISOString());
  await stack.sendRecord(COMMAND_TOPICS['partner-a'].name, 'shop-fr/dated-ahead', value, headers);
  const { data: told } = await stack.event('dated-ahead', 'payment.command.rejected');
  expect(told.faults).toMatchObject([{ path: 'ce_time', code: 'time_ahead' }]);
  expect((await stack.ledgerOf('dated-ahead')).calls).toEqual([]);
});

it('executes nothing of a command that names two ids', async () => {
  const orderId = 'two-ids';
  const { headers, value } = recordOf(orderId, new Date().toISOString());
  const producer = new kafkajs.Kafka({ brokers: [infrastructure().brokers], logLevel: 0 }).producer();
  await producer.connect();
  const twice = { ...headers, ce_id: [headers.ce_id!, 'another'] };
  const topic = stack.prefix + COMMAND_TOPICS['partner-a'].name;
  await producer.send({ topic, messages: [{ key: `shop-fr/${orderId}`, value, headers: twice }] });
  await producer.disconnect();
  // It has the same key, so it is handled after the others.
  await stack.send('payment.capture', aCapture({ orderId }));
  await stack.event(orderId, 'payment.capture.rejected');
  expect((await stack.ledgerOf(orderId)).calls).toEqual([]);
});
