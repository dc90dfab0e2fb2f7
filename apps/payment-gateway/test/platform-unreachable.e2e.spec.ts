import { join } from 'node:path';
import { aPartnerAAuthorization, aPartnerBAuthorization, repositoryRoot, waitFor } from '@tranche/testing';
import { askOperatorsOf } from './doubtful-orders.js';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';
import { tranche } from './tranche.js';

let stack: GatewayStack;
beforeAll(async () => {
  const demo = (name: string) => join(repositoryRoot(), `config/${name}.demo.json`);
  stack = await startGatewayStack({ OPERATORS_FILE: demo('operators'), MERCHANTS_FILE: demo('merchants') });
});
afterAll(() => stack.stop());

interface RailView {
  rail: string;
  waiting?: object;
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${stack.gateway.managementUrl}/metrics`)).text();
  const line = text.split('\n').find((row) => row.startsWith(`${name} `) || row.startsWith(`${name}{rail="partner-b"`));
  return Number(line?.split(' ').at(-1));
}

it('holds a rail back while its platform says nothing was executed, burns nothing, and goes on by itself', async () => {
  await stack.fault({ match: { orderPrefix: 'closed' }, fault: { execCode: '5003' } });
  for (const number of [1, 2, 3, 4, 5, 6])
    await stack.send(
      'payment.authorize',
      aPartnerBAuthorization({ orderId: `closed-${number}` }),
      `closed-command-${number}`,
    );
  await waitFor(async () => (await metric('tranche_rail_breaker_open')) === 1, {
    what: 'the breaker to open',
  });

  // Waiting commands are counted, and who asks for one learns why.
  const { amount } = aPartnerBAuthorization({ orderId: 'closed-6' });
  const since = /^\d{4}-.*Z$/;
  const stopped = await waitFor(
    async () => {
      const { body } = await askOperatorsOf<{ rails: RailView[] }>(stack.gateway, '/v1/rails');
      return body.rails.find(({ rail, waiting }) => rail === 'partner-b' && waiting !== undefined);
    },
    { what: 'what waits to be counted' },
  );
  expect(stopped).toMatchObject({
    ...{ state: 'stopped', cause: '5003', says: 'the platform answers EXECCODE 5003 and executes nothing' },
    ...{ since: expect.stringMatching(since) as string },
    waiting: { commands: 6, money: [{ currency: 'EUR', amount: 6 * amount }], isMoneyWhole: true },
  });
  expect(await metric('tranche_rail_waiting_commands')).toBe(6);
  const found = await tranche(stack, 'commands', 'find', 'closed-command-6', '--since', '1h', '--gateway', stack.gateway.managementUrl); // prettier-ignore
  expect(found).toMatchObject({ code: 1 });
  expect(found.out).toMatch(/its rail partner-b is stopped since \S+Z, because the platform answers EXECCODE 5003 and executes nothing; tried again /); // prettier-ignore
  expect(found.out).toContain(`Waiting on rail partner-b in all: 6 commands (${6 * amount} EUR;`);
  expect(found.out).toMatch(/order: .*, 404 until a command of the order is tried$/m);

  // The other rails still work.
  await stack.send('payment.authorize', aPartnerAAuthorization({ orderId: 'other-rail' }));
  await stack.event('other-rail', 'payment.authorize.redirect_required');

  await fetch(`${stack.simulator.url}/simulator/faults`, { method: 'DELETE' });
  for (const number of [1, 2, 3, 4, 5, 6]) await stack.event(`closed-${number}`, 'payment.authorize.redirect_required');
  const ledgers = await Promise.all([1, 2, 3, 4, 5, 6].map((number) => stack.ledgerOf(`closed-${number}`)));
  expect(ledgers.map(({ operations }) => operations.length)).toEqual([1, 1, 1, 1, 1, 1]);
  expect(await metric('tranche_rail_breaker_open')).toBe(0);
}, 180_000);
