import { aCapture, aPartnerBAuthorization } from '@tranche/testing';
import { authorizedOrder, notificationOf } from './captured-order.js';
import { joinGatewayStage, type GatewayStack } from './gateway-stack.js';

const merchant = 'shop-francs';
let stack: GatewayStack;
beforeAll(async () => (stack = await joinGatewayStage()));
afterAll(() => stack.stop());

it('an order has the currency of its merchant: a notification in another one is a conflict, one in its own is none [Transaction.CURRENCY]', async () => {
  const orderId = 'in-francs';
  const order = aPartnerBAuthorization({ merchant, orderId, currency: 'CHF' });
  await authorizedOrder(stack, orderId, order, { currency: 'CHF' });
  const { data: authorized } = await stack.event(orderId, 'payment.authorize.succeeded');
  expect(authorized).toMatchObject({ currency: 'CHF', amount: order.amount });

  await stack.send('payment.capture', aCapture({ merchant, orderId }));
  const { data: captured } = await stack.event(orderId, 'payment.capture.succeeded');
  expect(captured).toMatchObject({ currency: 'CHF' });
  expect(stack.typesOf(orderId)).not.toContain('payment.conflict.detected');

  await stack.notify({ ...(await notificationOf(stack, orderId, 'capture')), merchant, currency: 'EUR' });
  const { data: conflict } = await stack.event(orderId, 'payment.conflict.detected');
  expect(conflict).toMatchObject({ operation: 'capture', currency: 'CHF', otherCurrency: 'EUR' });
}, 120_000);

it('the return page goes out behind EXTRADATA; the event has the caller’s value', async () => {
  const orderId = 'back-to-the-app';
  const order = aPartnerBAuthorization({ merchant, orderId, extraData: 'basket=42', returnPage: 'app' });
  await authorizedOrder(stack, orderId, order);
  const [executed] = (await stack.ledgerOf(orderId)).operations;
  expect(executed?.extraData).toMatch(/^basket=42\|rp1\.app\|tr1\./);
  const { data } = await stack.event(orderId, 'payment.authorize.succeeded');
  expect(data).toMatchObject({ origin: 'notification', extraData: 'basket=42' });
}, 120_000);

it('a currency and a page that the merchant does not have are refused, and nothing is sent', async () => {
  const orderId = 'currency-of-elsewhere';
  await stack.send(
    'payment.authorize',
    aPartnerBAuthorization({ merchant, orderId, currency: 'USD', returnPage: 'desk' }),
  );
  const { data } = await stack.event(orderId, 'payment.command.rejected');
  expect(data.faults).toEqual([
    { path: 'currency', code: 'currency_not_of_merchant', message: expect.stringMatching(/^must be CHF: /) },
    { path: 'returnPage', code: 'return_page_unknown', message: 'must be app' },
  ]);
  expect((await stack.ledgerOf(orderId)).calls).toEqual([]);
}, 120_000);
