import { aPartnerBAuthorization, operatorKey, waitFor, type RunningApp } from '@tranche/testing';
import type { GatewayStack } from './gateway-stack.js';

export const MERCHANT = aPartnerBAuthorization().merchant;
export const reason = 'The back office shows it, ticket 812';

/** Operators of the stage: the demo's, a second person, and a viewer. */
export const KEYS = {
  demo: 'demo-operator-key-not-a-real-one-at-all',
  second: operatorKey('second'),
  viewer: operatorKey('viewer'),
};

export interface Doubt {
  id: string;
  orderId: string;
  since: string;
  reason: string;
  notExecuted: { maySay: boolean; from: string };
}

/** Sends a request to a gateway's operators' API, with the demo operator's key by default; by default a POST where there is a body. */
export async function askOperatorsOf<T = { code: string }>(
  gateway: RunningApp,
  path: string,
  { body, key = KEYS.demo, method = body ? 'POST' : 'GET' }: { body?: object; key?: string; method?: string } = {},
) {
  const response = await fetch(`${gateway.managementUrl}${path}`, {
    method,
    headers: {
      ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, type: response.headers.get('content-type'), body: (await response.json()) as T };
}

/** An order in doubt: its answer was lost, and the platform executed it or did not. */
export async function doubtful(
  stack: GatewayStack,
  orderId: string,
  fault: object = { executeThenReset: true },
): Promise<Doubt> {
  await stack.fault({ match: { orderPrefix: orderId }, fault });
  await stack.send('payment.authorize', aPartnerBAuthorization({ orderId }));
  await stack.event(orderId, 'payment.authorize.in_doubt');
  const list = `/v1/operations?state=in_doubt&limit=500&merchant=${MERCHANT}`;
  return waitFor(
    async () => {
      const { body } = await askOperatorsOf<{ operations: Doubt[] }>(stack.gateway, list);
      return body.operations.find((doubt) => doubt.orderId === orderId);
    },
    { what: `${orderId} in the list` },
  );
}
