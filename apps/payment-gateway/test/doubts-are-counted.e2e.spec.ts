import { aPartnerBAuthorization, waitFor } from '@tranche/testing';
import { joinGatewayStage, type GatewayStack } from './gateway-stack.js';

const KEY = 'demo-operator-key-not-a-real-one-at-all';
// No other spec makes doubts of this merchant.
const merchant = 'shop-counted';

let stack: GatewayStack;
beforeAll(async () => (stack = await joinGatewayStage()));
afterAll(() => stack.stop());

/** Value of a metric sample; undefined where it does not exist. */
async function sample(name: string, labels: string): Promise<number | undefined> {
  const text = await (await fetch(`${stack.gateway.managementUrl}/metrics`)).text();
  const line = text.split('\n').find((other) => other.startsWith(`${name}{${labels}`));
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
}

it('counts operations in doubt by merchant, operation and reason, with the oldest age and the money, until they are resolved', async () => {
  const labels = `merchant="${merchant}",operation="authorize",reason="connection_lost"`;
  await stack.fault({ match: { orderPrefix: 'doubt-' }, fault: { executeThenReset: true } });
  for (const orderId of ['doubt-1', 'doubt-2']) {
    await stack.send('payment.authorize', aPartnerBAuthorization({ merchant, orderId }));
    await stack.event(orderId, 'payment.authorize.in_doubt');
  }
  await waitFor(async () => (await sample('tranche_doubts', labels)) === 2, { what: 'two doubts' });
  expect(await sample('tranche_doubt_oldest_age_seconds', labels)).toBeGreaterThan(0);
  const { amount } = aPartnerBAuthorization();
  expect(await sample('tranche_doubt_amount_minor', `${labels},currency="EUR"`)).toBe(2 * amount);

  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const list = `${stack.gateway.managementUrl}/v1/operations?state=in_doubt&merchant=${merchant}`;
  const operations = await waitFor(
    async () => {
      const body = (await (await fetch(list, { headers })).json()) as { operations: { id: string }[] };
      return body.operations.length === 2 && body.operations;
    },
    { what: 'both in the list' },
  );
  for (const [at, { id }] of operations.entries()) {
    const body = JSON.stringify({
      outcome: 'succeeded',
      transactionId: `T-${at}`,
      reason: 'The back office shows it, ticket 812',
    });
    await fetch(`${stack.gateway.managementUrl}/v1/operations/${id}/resolve`, { method: 'POST', headers, body });
  }
  await waitFor(async () => (await sample('tranche_doubts', labels)) === undefined, {
    what: 'no doubt',
  });
}, 120_000);
