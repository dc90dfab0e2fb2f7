import { randomUUID } from 'node:crypto';
import { aPartnerAAuthorization, waitFor } from '@tranche/testing';
import { askOperatorsOf } from './doubtful-orders.js';
import { joinGatewayStage, type GatewayStack } from './gateway-stack.js';

const MERCHANT = 'shop-stopped';
const SCOPE = `/v1/controls/merchant:${MERCHANT}`;
const EVENT = 'payment.authorize.redirect_required';

let stack: GatewayStack;
beforeAll(async () => (stack = await joinGatewayStage()));
afterAll(async () => {
  await ask(SCOPE, { method: 'DELETE', body: { reason: 'the spec is over' } });
  await stack.stop();
});

const ask = (path: string, options: { body?: object; method?: string } = {}) =>
  askOperatorsOf<Record<string, unknown>>(stack.gateway, path, options);
const callsOf = async (orderId: string) => (await stack.ledgerOf(orderId)).calls.length;
const authorize = async (orderId: string, merchant = MERCHANT) => {
  await stack.send('payment.authorize', aPartnerAAuthorization({ orderId, merchant }), randomUUID());
  return orderId;
};

it('a stopped merchant has no call but the one that was under way; its commands wait, others go on, and all come after it', async () => {
  const name = `stopped-${randomUUID().slice(0, 8)}`;
  const underWay = `${name}-under-way`;
  await stack.fault({ match: { orderPrefix: underWay }, fault: { latencyMs: 1_000 } });
  await authorize(underWay);
  await waitFor(async () => (await callsOf(underWay)) === 1, { what: 'the call under way' });
  const reason = 'the shop sends orders twice';
  const set = await ask(SCOPE, { method: 'PUT', body: { reason } });
  expect(set).toMatchObject({ status: 200, body: { scope: `merchant:${MERCHANT}`, reason, by: 'demo' } });
  await waitFor(
    async () =>
      ((await ask('/v1/controls')).body.controls as { acknowledged: boolean }[]).every((one) => one.acknowledged),
    { what: 'every instance has it' },
  );
  const waiting = [await authorize(`${name}-1`), await authorize(`${name}-2`)];
  // Commands that came behind them, on every partition, are done: they were passed by.
  const others = await Promise.all(Array.from({ length: 12 }, (_, at) => authorize(`${name}-other-${at}`, 'shop-fr')));
  for (const orderId of [underWay, ...others]) await stack.event(orderId, EVENT);
  expect(await Promise.all(waiting.map(callsOf))).toEqual([0, 0]);
  expect(await callsOf(underWay)).toBe(1);
  expect(await ask(SCOPE, { method: 'DELETE', body: { reason: 'they stopped it' } })).toMatchObject({
    status: 200,
    body: { liftedBy: 'demo' },
  });
  for (const orderId of waiting) await stack.event(orderId, EVENT);
  expect(await Promise.all(waiting.map(callsOf))).toEqual([1, 1]);
});
