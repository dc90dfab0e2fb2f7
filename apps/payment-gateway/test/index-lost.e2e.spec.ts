import { aCapture, waitFor } from '@tranche/testing';
import { capturedOrder } from './captured-order.js';
import { startOwnGateway, type GatewayStack } from './gateway-stack.js';
import { deleteIndex } from './lost-index.js';

let stack: GatewayStack;
beforeAll(async () => (stack = await startOwnGateway()));
afterAll(() => stack.stop());

const capture = (orderId: string) =>
  stack.send('payment.capture', aCapture({ orderId, amount: undefined, transactionId: undefined }));
const shortTypesOf = (orderId: string) => stack.typesOf(orderId).map((type) => type.replace('payment.', ''));

it('builds the index anew while it runs, knows every order again, and publishes nothing twice', async () => {
  const orderId = 'index-lost';
  await capturedOrder(stack, orderId);
  // Once the order has left memory, only the index knows that it was captured.
  await waitFor(async () => (await stack.metric('tranche_orders_in_memory')) === 0, {
    timeoutMs: 30_000,
    what: 'an empty memory',
  });
  expect(await deleteIndex(stack.prefix)).toBeGreaterThan(0);
  await capture(orderId);
  await stack.event(orderId, 'payment.capture.rejected');
  expect((await stack.ledgerOf(orderId)).calls).toHaveLength(2);
  expect(shortTypesOf(orderId)).toEqual([
    'authorize.redirect_required',
    'authorize.succeeded',
    'capture.succeeded',
    'capture.rejected',
  ]);
  expect(await stack.metric('tranche_index_rebuild_records_total')).toBeGreaterThan(0);
  await waitFor(async () => (await stack.metric('tranche_index_behind_records')) === 0, { what: 'a current index' });
}, 120_000);
