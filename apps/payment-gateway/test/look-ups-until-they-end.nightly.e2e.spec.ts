import { aCardPayment, startApp, waitFor } from '@tranche/testing';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';
import { captureInDoubt, lookUpsIn, nextLookUp } from './looked-up-orders.js';

const HOUR_SECONDS = 3_600;
const lookUpTimes = (count: number) => Array.from({ length: count }, (_, at) => 5_000 * (at + 1)).join();
const FEW = 4;
const SETTINGS = {
  // Enough look-ups that a slow spec still has some left.
  LOOKUP_AFTER_MS: lookUpTimes(20),
  LOOKUP_TIMEOUT_MS: '2500',
  OPERATORS_FILE: 'config/operators.demo.json',
};

let stack: GatewayStack;
// The platform lists a transaction an hour after it was made, so only a moved clock makes it visible.
beforeAll(async () => (stack = await startGatewayStack(SETTINGS, { LOOKUP_LAG_MS: String(HOUR_SECONDS * 1000) })));
afterAll(() => stack.stop());

const lookUpsOf = async (orderId: string) => lookUpsIn(await stack.ledgerOf(orderId)).length;

async function control<T>(door: string, body: object): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${stack.simulator.url}/simulator/${door}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return (await response.json()) as T;
}

it('finds what was executed, once the platform lists it', async () => {
  const orderId = 'executed';
  const sentMs = Date.now();
  await captureInDoubt(stack, orderId, { fault: { executeThenReset: true } });
  expect(Date.parse((await nextLookUp(stack, orderId)).at ?? '')).toBeGreaterThan(sentMs + 1_000);
  await waitFor(async () => (await lookUpsOf(orderId)) > 0, {
    timeoutMs: 90_000,
    what: 'a look-up that finds nothing',
  });
  expect(stack.typesOf(orderId)).not.toContain('payment.capture.doubt_resolved');

  await control('clock', { advanceSeconds: HOUR_SECONDS });
  const { data } = await stack.event(orderId, 'payment.capture.doubt_resolved');
  const [, captured] = (await stack.ledgerOf(orderId)).operations;
  expect(data).toMatchObject({
    origin: 'look-up',
    outcome: 'succeeded',
    execCode: '0000',
    transactionId: captured?.transactionId,
  });
  expect(data.extraData).toBe('parcel 7');
  expect(await nextLookUp(stack, orderId)).toEqual({ status: 'captured', at: undefined });
}, 120_000);

it('finds a card payment, which has no EXTRADATA to bear a tag', async () => {
  const orderId = 'card';
  await stack.fault({
    match: { operation: 'payment', orderPrefix: orderId },
    fault: { executeThenReset: true, notification: 'none' },
  });
  const { HFTOKEN } = await control<{ HFTOKEN: string }>('tokens', { identifier: 'Demo Shop ES' });
  await stack.send('payment.pay', aCardPayment({ merchant: 'shop-es', orderId, hfToken: HFTOKEN }));
  await stack.event(orderId, 'payment.pay.in_doubt');
  await control('clock', { advanceSeconds: HOUR_SECONDS });
  const { data } = await stack.event(orderId, 'payment.pay.doubt_resolved');
  const [paid] = (await stack.ledgerOf(orderId)).operations;
  expect(data).toMatchObject({ origin: 'look-up', outcome: 'succeeded', transactionId: paid?.transactionId });
}, 120_000);

it('finds nothing of what was not executed: in doubt it stays, and the questions end, whoever asks them', async () => {
  const [orderId, unasked] = ['not-executed', 'without-look-up'];
  await captureInDoubt(stack, unasked, { merchant: 'shop-fr', fault: { executeThenReset: true } });
  stack.env.LOOKUP_AFTER_MS = lookUpTimes(FEW);
  const startOne = () => startApp('payment-gateway', stack.env);
  const [one, other] = await Promise.all([startOne(), startOne(), stack.gateway.stop()]);
  stack.gateway = one;
  try {
    await captureInDoubt(stack, orderId, { fault: { dropBefore: true } });
    await waitFor(async () => (await lookUpsOf(orderId)) > 0, { timeoutMs: 90_000, what: 'the first look-up' });
    await stack.gateway.stop('SIGKILL');
    stack.gateway = await startOne();
    await waitFor(async () => (await nextLookUp(stack, orderId)).at === undefined, {
      timeoutMs: 90_000,
      what: 'the last look-up to be due',
    });
    const later = 'later';
    await captureInDoubt(stack, later, { fault: { dropBefore: true } });
    await waitFor(async () => (await lookUpsOf(later)) > 0, {
      timeoutMs: 90_000,
      what: 'a look-up of a younger doubt',
    });
  } finally {
    await other.stop();
  }
  const ledger = await stack.ledgerOf(orderId);
  expect(lookUpsIn(ledger).length).toBeLessThanOrEqual(FEW);
  expect(ledger.calls.filter(({ operation }) => operation === 'capture')).toHaveLength(1);
  expect(await nextLookUp(stack, orderId)).toMatchObject({ status: 'in_doubt' });
  expect(stack.typesOf(orderId)).not.toContain('payment.capture.doubt_resolved');
  expect(await lookUpsOf(unasked)).toBe(0);
}, 300_000);
