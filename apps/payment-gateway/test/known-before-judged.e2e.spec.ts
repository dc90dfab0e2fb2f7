import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aPartnerAAuthorization, startApp } from '@tranche/testing';
import { startOwnGateway, type GatewayStack } from './gateway-stack.js';
import { writeMerchants } from './merchants-file.js';

const folder = mkdtempSync(join(tmpdir(), 'tranche-known-'));
const { merchant } = aPartnerAAuthorization();

let stack: GatewayStack;
beforeAll(async () => (stack = await startOwnGateway()));
afterAll(async () => {
  await stack.stop();
  rmSync(folder, { recursive: true });
});

/** Replaces the running gateway by one that does not know the merchant. */
async function removeMerchant(): Promise<void> {
  const file = join(folder, 'merchants.json');
  writeMerchants(file, (all) => all.filter((one) => one.merchant !== merchant));
  await stack.gateway.stop();
  stack.gateway = await startApp('payment-gateway', { ...stack.env, MERCHANTS_FILE: file });
}

it('answers a command that was executed with its result, though its merchant is configured no more', async () => {
  const orderId = 'known-before-judged';
  const data = aPartnerAAuthorization({ orderId });
  await stack.send('payment.authorize', data, 'command-known');
  const first = await stack.event(orderId, 'payment.authorize.redirect_required');

  await removeMerchant();
  await stack.send('payment.authorize', data, 'command-known');
  const again = await stack.event(orderId, 'payment.authorize.redirect_required', 2);
  expect(again.id).toBe(first.id);
  expect(stack.typesOf(orderId)).not.toContain('payment.command.rejected');

  await stack.send('payment.authorize', { ...data, amount: data.amount + 1 }, 'command-known');
  const reused = await stack.event(orderId, 'payment.command.rejected');
  expect(reused.data).toMatchObject({
    commandId: 'command-known',
    knownState: 'redirect_required',
    faults: [{ code: 'id_reused' }],
  });

  await stack.send(
    'payment.authorize',
    aPartnerAAuthorization({ orderId: 'known-before-judged-never' }),
    'command-new',
  );
  const rejected = await stack.event('known-before-judged-never', 'payment.command.rejected');
  expect(rejected.data.faults).toMatchObject([{ code: 'unknown_merchant' }]);
  expect((await stack.ledgerOf(orderId)).calls).toHaveLength(1);
}, 120_000);
