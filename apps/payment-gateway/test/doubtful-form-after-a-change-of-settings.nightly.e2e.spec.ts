import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aPartnerAAuthorization, startApp } from '@tranche/testing';
import { notificationOf } from './captured-order.js';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';

const folder = mkdtempSync(join(tmpdir(), 'tranche-merchants-'));
let stack: GatewayStack;
beforeAll(async () => (stack = await startGatewayStack()));
afterAll(async () => {
  await stack.stop();
  rmSync(folder, { recursive: true });
});

/** The demo's merchants, with a setting that now allows it. */
function merchantsWhoAllowIt(): string {
  const merchants = JSON.parse(readFileSync('config/merchants.demo.json', 'utf8')) as object[];
  const file = join(folder, 'merchants.json');
  writeFileSync(file, JSON.stringify(merchants.map((merchant) => ({ ...merchant, supersedeDoubtfulForms: true }))));
  return file;
}

it('a permission that a merchant gives later lets an authorization take the place of a doubtful one, and the order is paid once', async () => {
  const orderId = 'form-lost';
  const authorize = (id: string, supersedes?: string) =>
    stack.send('payment.authorize', aPartnerAAuthorization({ orderId, ...(supersedes && { supersedes }) }), id);
  await stack.fault({
    match: { operation: 'authorization', orderPrefix: orderId, times: 1 },
    fault: { executeThenReset: true, notification: 'none' },
  });
  await authorize('doubtful');
  await stack.event(orderId, 'payment.authorize.in_doubt');
  await authorize('not-allowed', 'doubtful');
  const { data: refused } = await stack.event(orderId, 'payment.authorize.rejected');
  expect(refused).toMatchObject({ commandId: 'not-allowed', faults: [{ code: 'order_in_doubt' }] });
  expect((await stack.ledgerOf(orderId)).calls).toHaveLength(1);

  await stack.gateway.stop();
  stack.gateway = await startApp('payment-gateway', { ...stack.env, MERCHANTS_FILE: merchantsWhoAllowIt() });
  await authorize('successor', 'doubtful');
  const { data: form } = await stack.event(orderId, 'payment.authorize.redirect_required');
  expect(form).toMatchObject({ commandId: 'successor', redirectHtml: expect.any(String) as string });
  const [, sent] = (await stack.ledgerOf(orderId)).operations;
  expect(form.transactionId).toBe(sent?.transactionId);
  await fetch(`${stack.simulator.url}/form/${form.transactionId}`, {
    ...{ method: 'POST', redirect: 'manual' },
    body: new URLSearchParams({ decision: 'validate' }),
  });
  await stack.notify(await notificationOf(stack, orderId, 'authorization'));
  const { data: succeeded } = await stack.event(orderId, 'payment.authorize.succeeded');
  expect(succeeded).toMatchObject({ commandId: 'successor', transactionId: form.transactionId });
  expect((await stack.ledgerOf(orderId)).calls).toHaveLength(2);
  expect(stack.typesOf(orderId)).not.toContain('payment.conflict.detected');
}, 120_000);
