import { aPartnerAAuthorization, startApp, waitFor, type RunningApp } from '@tranche/testing';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';

const ORDERS = 20;
/** INTENT and OUTCOME of each order. */
const RECORDS = 2 * ORDERS;

let stack: GatewayStack;
const further: RunningApp[] = [];
let orders = 0;
beforeAll(async () => (stack = await startGatewayStack()));
afterAll(async () => {
  await Promise.all(further.map((app) => app.stop()));
  await stack.stop();
});

/** Journal records that these gateways have read. */
async function readBy(...gateways: RunningApp[]): Promise<number> {
  const counts = gateways.map(async ({ managementUrl }) => {
    const metrics = await (await fetch(`${managementUrl}/metrics`)).text();
    return Number(/^kafka_log_records_total\{[^}]*\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** Resolves when each of `ORDERS` new orders has its event. */
async function pay(): Promise<void> {
  const orderIds = Array.from({ length: ORDERS }, () => `once-${++orders}`);
  await Promise.all(orderIds.map((orderId) => stack.send('payment.authorize', aPartnerAAuthorization({ orderId }))));
  await Promise.all(orderIds.map((orderId) => stack.event(orderId, 'payment.authorize.redirect_required')));
}

it('reads each record of the journal once, with one instance and with three', async () => {
  const before = await readBy(stack.gateway);
  await pay();
  expect((await readBy(stack.gateway)) - before).toBe(RECORDS);
  for (let count = 0; count < 2; count++) further.push(await startApp('payment-gateway', stack.env));
  // While numbers move, each new owner reads the record at the index's marker once more.
  const perRound = async () => {
    const read = await readBy(stack.gateway, ...further);
    await pay();
    return (await readBy(stack.gateway, ...further)) - read;
  };
  await waitFor(async () => (await perRound()) === RECORDS, {
    what: 'a round whose records are read once',
    timeoutMs: 60_000,
  });
  expect(await perRound()).toBe(RECORDS);
}, 180_000);
