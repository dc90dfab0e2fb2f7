import { aPartnerAAuthorization, startApp, waitFor, type RunningApp } from '@tranche/testing';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';

const ORDERS = 20;

let stack: GatewayStack;
let further: RunningApp | undefined;
let orders = 0;
beforeAll(async () => (stack = await startGatewayStack()));
afterAll(async () => {
  await further?.stop();
  await stack.stop();
});

/** Journal records that a gateway's projector fetched itself, and those that it took from the tail of its process. */
async function taken({ managementUrl }: RunningApp): Promise<{ fetched: number; tailed: number }> {
  const metrics = await (await fetch(`${managementUrl}/metrics`)).text();
  const sum = (name: string) =>
    Number(new RegExp(`^${name}\\{[^}]*payment-gateway.projector"[^}]*\\} (\\d+)$`, 'm').exec(metrics)?.[1] ?? 0);
  return { fetched: sum('kafka_fetched_batch_records_sum'), tailed: sum('kafka_tail_records_total') };
}

/** Resolves when each of `ORDERS` new orders has its event. */
async function pay(): Promise<void> {
  const orderIds = Array.from({ length: ORDERS }, () => `once-${++orders}`);
  await Promise.all(orderIds.map((orderId) => stack.send('payment.authorize', aPartnerAAuthorization({ orderId }))));
  await Promise.all(orderIds.map((orderId) => stack.event(orderId, 'payment.authorize.redirect_required')));
}

it('projects what its tail has read, and fetches none of it', async () => {
  const before = await taken(stack.gateway);
  await pay();
  // An event is published before its batch ends, so the counter may lag.
  await waitFor(async () => (await taken(stack.gateway)).tailed >= 2 * ORDERS, {
    timeoutMs: 30_000,
    what: 'all records, from the tail',
  });
  expect((await taken(stack.gateway)).fetched).toBe(before.fetched);
});

it('publishes every event once a second instance has half of the partitions, and when it has gone', async () => {
  further = await startApp('payment-gateway', stack.env);
  for (let tailed = 0; tailed === 0; tailed = (await taken(further)).tailed) await pay();
  await further.stop();
  further = undefined;
  await pay();
}, 180_000);
