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

/** Records that these gateways have fetched: of the journal by its reader, and of the topics of their group. */
async function fetchedBy(...gateways: RunningApp[]): Promise<{ journal: number; group: number }> {
  const metrics = await Promise.all(
    gateways.map(async ({ managementUrl }) => (await fetch(`${managementUrl}/metrics`)).text()),
  );
  const sum = (sample: RegExp) => metrics.reduce((total, text) => total + Number(sample.exec(text)?.[1] ?? 0), 0);
  return {
    journal: sum(/^kafka_log_records_total\{[^}]*\} (\d+)$/m),
    group: sum(/^kafka_fetched_batch_records_sum\{[^}]*group="[^"]*payment-gateway"[^}]*\} (\d+)$/m),
  };
}

/** Resolves when each of `ORDERS` new orders has its event. */
async function pay(): Promise<void> {
  const orderIds = Array.from({ length: ORDERS }, () => `once-${++orders}`);
  await Promise.all(orderIds.map((orderId) => stack.send('payment.authorize', aPartnerAAuthorization({ orderId }))));
  await Promise.all(orderIds.map((orderId) => stack.event(orderId, 'payment.authorize.redirect_required')));
}

/** Records that are fetched while `ORDERS` new orders get their events. */
async function perRound(): Promise<{ journal: number; group: number }> {
  const gateways = [stack.gateway, ...further];
  const before = await fetchedBy(...gateways);
  await pay();
  const { journal, group } = await fetchedBy(...gateways);
  return { journal: journal - before.journal, group: group - before.group };
}

it('fetches each record of the journal once, with one instance and with three, and its group fetches commands only', async () => {
  const once = { journal: RECORDS, group: ORDERS };
  expect(await perRound()).toEqual(once);
  for (let count = 0; count < 2; count++) further.push(await startApp('payment-gateway', stack.env));
  // While numbers move, each new owner reads the record at the index's marker once more.
  await waitFor(async () => JSON.stringify(await perRound()) === JSON.stringify(once), {
    what: 'a round whose records are fetched once',
    timeoutMs: 60_000,
  });
  expect(await perRound()).toEqual(once);
}, 180_000);
