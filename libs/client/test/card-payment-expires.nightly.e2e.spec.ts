import {
  aCardPayment,
  gatewaySettings,
  infrastructure,
  makeTopics,
  ownPrefix,
  startApp,
  startSimulator,
  waitFor,
  type RunningApp,
} from '@tranche/testing';
import { Tranche } from '../src/index.js';

const EIGHT_DAYS_MS = 8 * 86_400_000;
/** The platform's test card that asks for 3-D Secure. */
const CARD = { identifier: 'Demo Shop FR', cardCode: '4970101200010001', cardValidityDate: '12-49' };

let env: Record<string, string>;
let simulator: RunningApp;
let gateway: RunningApp;
let shop: Tranche;
beforeAll(async () => {
  const topicPrefix = ownPrefix();
  [simulator] = await Promise.all([startSimulator(), makeTopics(topicPrefix)]);
  env = gatewaySettings(topicPrefix, simulator.url);
  gateway = await startApp('payment-gateway', env);
  shop = await Tranche.connect({ brokers: infrastructure().brokers.split(','), clientId: 'shop', topicPrefix });
});
afterAll(async () => {
  await shop?.close();
  await Promise.all([gateway?.stop(), simulator?.stop()]);
});

it('a subscriber hears of a card payment that its holder left at 3-D Secure', async () => {
  const orderId = 'left-at-3-d-secure';
  const unpaid: object[] = [];
  await shop.subscribe({ group: 'shop', on: { 'payment.pay.expired': ({ data }) => void unpaid.push(data) } });
  const response = await fetch(`${simulator.url}/simulator/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(CARD),
  });
  const { HFTOKEN } = (await response.json()) as { HFTOKEN: string };
  const payment = aCardPayment({ orderId, hfToken: HFTOKEN, tokenizedAt: undefined });
  const { type, data } = await shop.publisher.payAndWait(payment, { id: 'pays', timeoutMs: 100_000 });
  expect(type).toBe('payment.pay.redirect_required');

  await gateway.stop();
  gateway = await startApp('payment-gateway', { ...env, CLOCK_OFFSET_MS: String(EIGHT_DAYS_MS) });
  await waitFor(() => unpaid.length > 0, { timeoutMs: 100_000, what: 'the event at the subscriber' });
  expect(unpaid).toMatchObject([{ orderId, commandId: 'pays', origin: 'timer', transactionId: data.transactionId }]);
}, 240_000);
