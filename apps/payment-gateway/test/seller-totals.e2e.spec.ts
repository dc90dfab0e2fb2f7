import { aCapture, aPartnerBAuthorization, aPartnerBCartItem, aRefund } from '@tranche/testing';
import { authorizedOrder } from './captured-order.js';
import { joinGatewayStage, type GatewayStack } from './gateway-stack.js';

const KEY = 'demo-operator-key-not-a-real-one-at-all';
const merchant = 'shop-market';
let stack: GatewayStack;
beforeAll(async () => (stack = await joinGatewayStage()));
afterAll(() => stack.stop());

const orderId = 'two-sellers';
const refund = (subMerchantExternalId: string, amount: number) =>
  stack.send('payment.refund', aRefund({ merchant, orderId, amount, subMerchantExternalId }));

async function sellersInTheView(): Promise<unknown> {
  const headers = { authorization: `Bearer ${KEY}` };
  const response = await fetch(`${stack.gateway.managementUrl}/v1/orders/${merchant}/${orderId}`, { headers });
  return ((await response.json()) as { sellers: unknown }).sellers;
}

it('a refund gives back no more of a seller than its part of the cart; the order view has the totals', async () => {
  const anna = aPartnerBCartItem({ subMerchantExternalId: 'anna', price: 20_000, quantity: 1, totalAmount: 20_000 });
  const ben = aPartnerBCartItem({ subMerchantExternalId: 'ben', price: 10_000, quantity: 1, totalAmount: 10_000 });
  const order = aPartnerBAuthorization({ merchant, orderId, amount: 30_000, cart: [anna, ben] });
  await authorizedOrder(stack, orderId, order);
  await stack.send('payment.capture', aCapture({ merchant, orderId }));
  await stack.event(orderId, 'payment.capture.succeeded');

  await refund('ben', 4_000);
  await stack.event(orderId, 'payment.refund.succeeded');
  await refund('ben', 6_001);
  const { data } = await stack.event(orderId, 'payment.refund.rejected');
  expect(data.faults).toMatchObject([{ path: 'amount', code: 'refund_exceeds_seller_total' }]);
  await refund('anna', 20_000);
  await stack.event(orderId, 'payment.refund.succeeded', 2);

  expect(await sellersInTheView()).toEqual({
    anna: { sold: 20_000, refunded: 20_000, remaining: 0 },
    ben: { sold: 10_000, refunded: 4_000, remaining: 6_000 },
  });
  const { calls } = await stack.ledgerOf(orderId);
  const refunds = calls.filter(({ operation }) => operation === 'refund');
  expect(refunds).toHaveLength(2);
  expect(refunds.flatMap(({ parameters }) => parameters).filter((name) => /MERCHANT/.test(name))).toEqual([]);
}, 120_000);
