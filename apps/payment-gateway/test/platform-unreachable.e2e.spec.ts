import { aPartnerAAuthorization, aPartnerBAuthorization, waitFor } from '@tranche/testing';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';

let stack: GatewayStack;
beforeAll(async () => (stack = await startGatewayStack()));
afterAll(() => stack.stop());

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${stack.gateway.managementUrl}/metrics`)).text();
  const line = text.split('\n').find((row) => row.startsWith(`${name} `) || row.startsWith(`${name}{rail="partner-b"`));
  return Number(line?.split(' ').at(-1));
}

it('holds a rail back while its platform says nothing was executed, burns nothing, and goes on by itself', async () => {
  await stack.fault({ match: { orderPrefix: 'closed' }, fault: { execCode: '5003' } });
  for (const number of [1, 2, 3, 4, 5, 6])
    await stack.send('payment.authorize', aPartnerBAuthorization({ orderId: `closed-${number}` }));
  await waitFor(async () => (await metric('tranche_rail_breaker_open')) === 1, {
    what: 'the breaker to open',
  });

  // The other rails still work.
  await stack.send('payment.authorize', aPartnerAAuthorization({ orderId: 'other-rail' }));
  await stack.event('other-rail', 'payment.authorize.redirect_required');

  await fetch(`${stack.simulator.url}/simulator/faults`, { method: 'DELETE' });
  for (const number of [1, 2, 3, 4, 5, 6]) await stack.event(`closed-${number}`, 'payment.authorize.redirect_required');
  const ledgers = await Promise.all([1, 2, 3, 4, 5, 6].map((number) => stack.ledgerOf(`closed-${number}`)));
  expect(ledgers.map(({ operations }) => operations.length)).toEqual([1, 1, 1, 1, 1, 1]);
  expect(await metric('tranche_rail_breaker_open')).toBe(0);
}, 180_000);
