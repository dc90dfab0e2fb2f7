import { aCapture, aPartnerBAuthorization } from '@tranche/testing';
import type { GatewayStack, Ledger } from './gateway-stack.js';

const KEY = 'demo-operator-key-not-a-real-one-at-all';

/** An authorized order with its capture in doubt. shop-es allows look-ups, shop-fr does not. */
export async function captureInDoubt(
  stack: GatewayStack,
  orderId: string,
  { merchant = 'shop-es', fault }: { merchant?: string; fault: object },
): Promise<void> {
  const phones = { phone: '+34912345678', mobilePhone: '+34612345678' };
  await stack.send(
    'payment.authorize',
    aPartnerBAuthorization({ merchant, orderId, billing: phones, shipping: phones }),
  );
  const { transactionId } = (await stack.event(orderId, 'payment.authorize.redirect_required')).data;
  await fetch(`${stack.simulator.url}/form/${transactionId}`, {
    method: 'POST',
    body: new URLSearchParams({ decision: 'validate' }),
    redirect: 'manual',
  });
  await stack.notify({
    merchant,
    orderId,
    operationType: 'authorization',
    transactionId,
    execCode: '0000',
    extraData: undefined,
  });
  await stack.event(orderId, 'payment.authorize.succeeded');
  await stack.fault({
    match: { operation: 'capture', orderPrefix: orderId },
    fault: { ...fault, notification: 'none' },
  });
  await stack.send('payment.capture', aCapture({ merchant, orderId, transactionId: undefined, extraData: 'parcel 7' }));
  await stack.event(orderId, 'payment.capture.in_doubt');
}

export const lookUpsIn = ({ calls }: Ledger) => calls.filter(({ operation }) => operation === 'getTransactions');

/** Status and next look-up of an order of shop-es, by the operators' API. */
export async function nextLookUp(stack: GatewayStack, orderId: string): Promise<{ status: string; at?: string }> {
  const response = await fetch(`${stack.gateway.managementUrl}/v1/orders/shop-es/${orderId}`, {
    headers: { authorization: `Bearer ${KEY}` },
  });
  const { status, deadlines } = (await response.json()) as { status: string; deadlines: { nextLookUpAt?: string } };
  return { status, at: deadlines.nextLookUpAt };
}
