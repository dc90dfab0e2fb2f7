import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { aCapture, aPartnerBAuthorization, aRefund, waitFor } from '@tranche/testing';
import { tagExtraData } from '@tranche/order-journal';
import { authorizedOrder } from './captured-order.js';
import { startOwnGateway, type GatewayStack } from './gateway-stack.js';

let stack: GatewayStack;
let way: Server;
let letAnswerThrough: () => void;
const isAnswerLetThrough = new Promise<void>((resolve) => (letAnswerThrough = resolve));

/** Forwards a call to the simulator, and holds a capture's answer back until it is released. */
async function pass(path: string, body: string): Promise<{ status: number; answer: string }> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' };
  const response = await fetch(stack.simulator.url + path, { method: 'POST', headers, body });
  const answer = await response.text();
  if (body.startsWith('method=capture')) await isAnswerLetThrough;
  return { status: response.status, answer };
}

beforeAll(async () => {
  way = createServer((request, response) => {
    text(request)
      .then((body) => pass(request.url ?? '', body))
      .then(({ status, answer }) => response.writeHead(status, { 'content-type': 'application/json' }).end(answer))
      .catch((error: Error) => response.destroy(error));
  });
  await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(way.address() as AddressInfo).port}`;
  stack = await startOwnGateway({ PAYMENT_URL: url, PLATFORM_TIMEOUT_MS: '60000' });
});
afterAll(async () => {
  letAnswerThrough();
  await stack.stop();
  way.closeAllConnections();
  await new Promise((resolve) => way.close(resolve));
});

it('a notification that comes before the answer ends the operation, and the answer adds nothing but its TRANSACTIONID [Service.5.notification]', async () => {
  const orderId = 'told-early';
  await authorizedOrder(stack, orderId);
  await stack.send('payment.capture', aCapture({ orderId, extraData: 'parcel 7' }), 'capture-1');
  await waitFor(async () => (await callsOf(orderId)).includes('capture') || undefined, {
    timeoutMs: 30_000,
    what: 'the call of the capture',
  });
  const { extraData } = tagExtraData('parcel 7', 'capture-1', 1);
  await stack.notify({ orderId, operationType: 'capture', transactionId: undefined, execCode: '0000', extraData });
  const { data } = await stack.event(orderId, 'payment.capture.succeeded');
  expect(data).toMatchObject({ origin: 'notification', extraData: 'parcel 7' });
  expect(data).not.toHaveProperty('transactionId');

  // It waits behind the capture's call, because only that answer names the TRANSACTIONID that a refund needs.
  await stack.send('payment.refund', aRefund({ orderId, amount: 1000 }));
  await stack.send('payment.authorize', aPartnerBAuthorization({ orderId: 'told-meanwhile' }));
  await stack.event('told-meanwhile', 'payment.authorize.redirect_required');
  expect(await callsOf(orderId)).not.toContain('refund');
  letAnswerThrough();
  await stack.event(orderId, 'payment.refund.succeeded');
  const { data: named } = await stack.event(orderId, 'payment.capture.succeeded', 2);
  expect(named).toMatchObject({ origin: 'answer', transactionId: expect.any(String), flags: ['transaction_added'] });
  expect(stack.typesOf(orderId).filter((type) => type === 'payment.capture.succeeded')).toHaveLength(2);
  expect(stack.typesOf(orderId)).not.toContain('payment.conflict.detected');
}, 120_000);

async function callsOf(orderId: string): Promise<string[]> {
  return (await stack.ledgerOf(orderId)).calls.map(({ operation }) => operation);
}
