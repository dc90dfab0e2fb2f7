import { aPartnerAAuthorization, aPartnerBAuthorization, startApp, waitFor } from '@tranche/testing';
import { askOperatorsOf } from './doubtful-orders.js';
import { startOwnGateway } from './gateway-stack.js';

interface Control {
  acknowledged: boolean;
  instances: { acknowledged: number; of: number };
}

const RAIL = '/v1/controls/rail:partner-a';
const EVENT = 'payment.authorize.redirect_required';

it('a stopped rail stays stopped in both instances and after their restart, until the stop expires', async () => {
  const stack = await startOwnGateway();
  let second = await startApp('payment-gateway', stack.env);
  try {
    const stop = (expiresInMs: number) => {
      const expiresAt = new Date(Date.now() + expiresInMs).toISOString();
      const body = { reason: 'the partner asked for it', expiresAt };
      return askOperatorsOf<Control>(stack.gateway, RAIL, { method: 'PUT', body });
    };
    const isAcknowledged = async () => {
      const { body } = await askOperatorsOf<{ controls: Control[] }>(second, '/v1/controls');
      return body.controls[0]?.acknowledged === true && body.controls[0].instances.of === 2;
    };
    expect(await stop(3_600_000)).toMatchObject({ status: 200 });
    await waitFor(isAcknowledged, { what: 'both instances have it', timeoutMs: 60_000 });

    const orders = Array.from({ length: 24 }, (_, at) => `rail-stopped-${at}`);
    for (const orderId of orders) await stack.send('payment.authorize', aPartnerAAuthorization({ orderId }));
    // The gateways take commands of another rail.
    const goesOn = async (orderId: string) => {
      await stack.send('payment.authorize', aPartnerBAuthorization({ orderId }));
      await waitFor(() => stack.typesOf(orderId).length > 0, { what: `an event of ${orderId}`, timeoutMs: 60_000 });
    };
    const calls = async () =>
      (await Promise.all(orders.map(async (orderId) => (await stack.ledgerOf(orderId)).calls.length))).reduce((a, b) => a + b); // prettier-ignore
    await goesOn('rail-goes-on-1');
    expect(await calls()).toBe(0);

    await Promise.all([stack.gateway.stop(), second.stop()]);
    [stack.gateway, second] = await Promise.all([
      startApp('payment-gateway', stack.env),
      startApp('payment-gateway', stack.env),
    ]);
    await waitFor(isAcknowledged, { what: 'both new instances have it', timeoutMs: 60_000 });
    await goesOn('rail-goes-on-2');
    expect(await calls()).toBe(0);

    expect(await stop(2_000)).toMatchObject({ status: 200 });
    for (const orderId of orders) await stack.event(orderId, EVENT);
    expect(await calls()).toBe(24);
  } finally {
    await Promise.all([second.stop(), stack.stop()]);
  }
}, 240_000);
