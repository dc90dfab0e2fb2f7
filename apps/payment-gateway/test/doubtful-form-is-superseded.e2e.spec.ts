import { aPartnerAAuthorization } from '@tranche/testing';
import { notificationOf } from './captured-order.js';
import { joinGatewayStage, type GatewayStack } from './gateway-stack.js';

let stack: GatewayStack;
beforeAll(async () => (stack = await joinGatewayStage()));
afterAll(() => stack.stop());

async function sendDoubtful(merchant: string, orderId: string): Promise<void> {
  await stack.fault({
    match: { operation: 'authorization', orderPrefix: orderId, times: 1 },
    fault: { executeThenReset: true, notification: 'none' },
  });
  await stack.send('payment.authorize', aPartnerAAuthorization({ merchant, orderId }), `${orderId}-doubtful`);
  await stack.event(orderId, 'payment.authorize.in_doubt');
}

const sendSuccessor = (merchant: string, orderId: string) =>
  stack.send(
    'payment.authorize',
    aPartnerAAuthorization({ merchant, orderId, supersedes: `${orderId}-doubtful` }),
    `${orderId}-successor`,
  );

it('an authorization that names a doubtful one is refused where the merchant does not allow it', async () => {
  const orderId = 'form-lost-for-good';
  await sendDoubtful('shop-fr', orderId);
  await sendSuccessor('shop-fr', orderId);
  const { data: refused } = await stack.event(orderId, 'payment.authorize.rejected');
  expect(refused).toMatchObject({ commandId: `${orderId}-successor`, faults: [{ code: 'order_in_doubt' }] });
  expect((await stack.ledgerOf(orderId)).calls).toHaveLength(1);
}, 120_000);

it('an authorization takes the place of a doubtful one that it names, where the merchant allows it, and the order is paid once', async () => {
  const [merchant, orderId] = ['shop-supersedes', 'form-superseded'];
  await sendDoubtful(merchant, orderId);
  await sendSuccessor(merchant, orderId);
  const { data: form } = await stack.event(orderId, 'payment.authorize.redirect_required');
  expect(form).toMatchObject({ commandId: `${orderId}-successor`, redirectHtml: expect.any(String) as string });
  const [, sent] = (await stack.ledgerOf(orderId)).operations;
  expect(form.transactionId).toBe(sent?.transactionId);
  await fetch(`${stack.simulator.url}/form/${form.transactionId}`, {
    ...{ method: 'POST', redirect: 'manual' },
    body: new URLSearchParams({ decision: 'validate' }),
  });
  await stack.notify({ ...(await notificationOf(stack, orderId, 'authorization')), merchant });
  const { data: succeeded } = await stack.event(orderId, 'payment.authorize.succeeded');
  expect(succeeded).toMatchObject({ commandId: `${orderId}-successor`, transactionId: form.transactionId });
  expect((await stack.ledgerOf(orderId)).calls).toHaveLength(2);
  expect(stack.typesOf(orderId)).not.toContain('payment.conflict.detected');
}, 120_000);
