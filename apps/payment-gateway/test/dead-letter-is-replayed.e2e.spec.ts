import { randomUUID } from 'node:crypto';
import { COMMAND_TOPICS, orderKey, TOPICS } from '@tranche/contracts';
import { aCommand, aPartnerAAuthorization } from '@tranche/testing';
import { deadLettersOf } from './dead-letters.js';
import { askOperatorsOf } from './doubtful-orders.js';
import { joinGatewayStage, type GatewayStack } from './gateway-stack.js';

let stack: GatewayStack;
beforeAll(async () => (stack = await joinGatewayStage()));
afterAll(() => stack.stop());

it('a dead letter is published again, mended, and executed once, however often it is replayed', async () => {
  const orderId = `replayed-${randomUUID().slice(0, 8)}`;
  const data = aPartnerAAuthorization({ orderId });
  const key = orderKey(data.merchant, orderId);
  await stack.sendRecord(COMMAND_TOPICS['partner-a'].name, key, Buffer.from('{'));
  const [letter] = await deadLettersOf(stack, [key], 1);
  const command = aCommand('payment.authorize', data, { id: randomUUID(), time: new Date().toISOString() });
  const request = {
    ...{ topic: TOPICS.commandsDeadLetter.name, partition: letter!.partition, offset: String(letter!.offset) },
    ...{ command: { specversion: '1.0', ...command }, reason: 'the shop sent half of it' },
  };
  const replay = (query = '', change: object = {}) =>
    askOperatorsOf(stack.gateway, `/v1/replays${query}`, { body: { ...request, ...change } });
  expect(await replay('', { command: undefined })).toMatchObject({ status: 409, body: { code: 'not_replayable' } });
  expect(await replay('?dryRun=true')).toMatchObject({ status: 200, body: { verdict: 'attempt', orderId } });
  expect(stack.typesOf(orderId)).not.toContain('payment.authorize.redirect_required');
  expect(await replay()).toMatchObject({ status: 200, body: { verdict: 'attempt', published: {} } });
  await stack.event(orderId, 'payment.authorize.redirect_required');
  expect(await replay()).toMatchObject({ status: 200, body: { verdict: 'repeat', published: {} } });
  await stack.event(orderId, 'payment.authorize.redirect_required', 2);
  expect((await stack.ledgerOf(orderId)).calls).toHaveLength(1);
});
