import { TOPICS } from '@tranche/contracts';
import { aPartnerBAuthorization, startApp } from '@tranche/testing';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';
import { orderIn } from './orders-in-partition.js';

const SEVEN_DAYS_MS = 7 * 86_400_000;
/** Longer than the spec's own run. */
const MARGIN_MS = 600_000;
const OTHERS = 6_000;

let stack: GatewayStack;
beforeAll(async () => (stack = await startGatewayStack()));
afterAll(() => stack.stop());

it('after a stop of seven days no payment is told expired whose success Kafka had acknowledged, and the others are', async () => {
  const paid = Array.from({ length: TOPICS.journal.partitions }, (_, partition) => orderIn(partition, 'paid'));
  const left = paid.map((_, partition) => orderIn(partition, 'left'));
  const transactionIds = await Promise.all(
    [...paid, ...left].map(async (orderId) => {
      await stack.send('payment.authorize', aPartnerBAuthorization({ orderId }));
      return (await stack.event(orderId, 'payment.authorize.redirect_required')).data.transactionId;
    }),
  );
  await stack.gateway.stop();
  const notify = (orderId: string, transactionId: string | undefined) =>
    stack.notify({ orderId, operationType: 'authorization', transactionId, execCode: '0000', extraData: undefined });
  await Promise.all(Array.from({ length: OTHERS }, (_, n) => notify(`other-${n}`, `of-other-${n}`)));
  await Promise.all(paid.map((orderId, n) => notify(orderId, transactionIds[n])));

  const CLOCK_OFFSET_MS = String(SEVEN_DAYS_MS + MARGIN_MS);
  stack.gateway = await startApp('payment-gateway', { ...stack.env, CLOCK_OFFSET_MS });
  await Promise.all(paid.map((orderId) => stack.event(orderId, 'payment.authorize.succeeded')));
  await Promise.all(left.map((orderId) => stack.event(orderId, 'payment.authorize.expired')));
  const expected = ['payment.authorize.redirect_required', 'payment.authorize.succeeded'];
  expect(paid.map((orderId) => stack.typesOf(orderId))).toEqual(paid.map(() => expected));
  expect(await stack.metric('tranche_timers_wait_seconds')).toBeLessThan(60);
}, 300_000);
