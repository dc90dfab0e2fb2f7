import { readNotification, type PartnerBAuthorization, type PaymentNotification } from '@tranche/contracts';
import { aCapture, aPartnerBAuthorization, waitFor } from '@tranche/testing';
import type { GatewayStack } from './gateway-stack.js';

/** The amount of `aPartnerBAuthorization`, captured in full. */
export const CAPTURED = aPartnerBAuthorization().amount;

/** An order of method B, validated by its cardholder and captured in full. */
export async function capturedOrder(stack: GatewayStack, orderId: string): Promise<void> {
  await authorizedOrder(stack, orderId);
  await stack.send('payment.capture', aCapture({ orderId }));
  await stack.event(orderId, 'payment.capture.succeeded');
}

/** An order of method B, validated by its cardholder. */
export async function authorizedOrder(
  stack: GatewayStack,
  orderId: string,
  order: PartnerBAuthorization = aPartnerBAuthorization({ orderId }),
  reported: Partial<PaymentNotification> = {},
): Promise<void> {
  await stack.send('payment.authorize', order);
  const { data } = await stack.event(orderId, 'payment.authorize.redirect_required');
  await post(stack, `/form/${data.transactionId}`, new URLSearchParams({ decision: 'validate' }));
  await stack.notify({
    ...(await notificationOf(stack, orderId, 'authorization')),
    merchant: order.merchant,
    ...reported,
  });
  await stack.event(orderId, 'payment.authorize.succeeded');
}

/** Makes a refund in the merchant's back office at the simulator, and publishes its notification as notification-ingest would. */
export async function refundInBackOffice(
  stack: GatewayStack,
  orderId: string,
  amount: number,
): Promise<PaymentNotification> {
  const { identifier } = await notificationOf(stack, orderId, 'capture');
  const before = (await notificationsOf(stack, orderId)).length;
  await post(stack, '/simulator/refunds', { identifier, orderId, amount });
  return notificationOf(stack, orderId, 'refund', before);
}

/** Notification that the simulator sends, or would send, about an order's operation. */
export function notificationOf(
  stack: GatewayStack,
  orderId: string,
  operationType: string,
  after = 0,
): Promise<PaymentNotification> {
  const find = async () =>
    (await notificationsOf(stack, orderId)).slice(after).find((one) => one.operationType === operationType);
  return waitFor(find, { what: `the simulator's notification of ${operationType}` });
}

async function notificationsOf(stack: GatewayStack, orderId: string): Promise<PaymentNotification[]> {
  const response = await fetch(`${stack.simulator.url}/simulator/notifications?orderId=${orderId}`);
  const notifications = (await response.json()) as { parameters: Record<string, string> }[];
  return notifications.map(({ parameters }) =>
    readNotification('shop-fr', Object.entries(parameters), new Date().toISOString()),
  );
}

async function post(stack: GatewayStack, path: string, body: URLSearchParams | object): Promise<void> {
  const isForm = body instanceof URLSearchParams;
  const response = await fetch(`${stack.simulator.url}${path}`, {
    method: 'POST',
    redirect: 'manual',
    body: isForm ? body : JSON.stringify(body),
    ...(isForm ? {} : { headers: { 'content-type': 'application/json' } }),
  });
  if (response.status >= 400) throw new Error(`${path}: HTTP ${response.status} ${await response.text()}`);
}
