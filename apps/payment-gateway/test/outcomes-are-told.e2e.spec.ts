import { aPartnerAAuthorization, waitFor } from '@tranche/testing';
import { joinGatewayStage, type GatewayStack } from './gateway-stack.js';

let stack: GatewayStack;
beforeAll(async () => (stack = await joinGatewayStage()));
afterAll(() => stack.stop());

it('writes one line for the outcome of an operation, and measures from its command to its event', async () => {
  const orderId = 'outcomes-are-told';
  const data = aPartnerAAuthorization({ orderId });
  await stack.send('payment.authorize', data, 'command-told');
  await stack.event(orderId, 'payment.authorize.redirect_required');
  // A republished result must not be counted as another outcome.
  await stack.send('payment.authorize', data, 'command-told');
  await stack.event(orderId, 'payment.authorize.redirect_required', 2);
  const lines = () => stack.gateway.logs.filter((line) => line.includes('command-told'));
  await waitFor(() => lines().length > 0, { what: 'the line' });
  expect(lines().map((line) => JSON.parse(line) as Record<string, unknown>)).toEqual([
    expect.objectContaining({
      ...{ level: 'info', message: 'payment.authorize.redirect_required', merchant: data.merchant, orderId },
      ...{
        commandId: 'command-told',
        operation: 'authorize',
        attempt: expect.any(Number) as number,
        durationMs: expect.any(Number) as number,
      },
    }),
  ]);
  expect(lines()[0]).not.toContain(data.client.email);
  const metrics = await (await fetch(`${stack.gateway.managementUrl}/metrics`)).text();
  const count =
    /^tranche_command_to_event_seconds_count\{[^}]*type="payment\.authorize\.redirect_required"[^}]*\} (\d+)$/m;
  expect(Number(count.exec(metrics)?.[1])).toBeGreaterThan(0);
});
