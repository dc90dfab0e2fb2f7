import { aPartnerAAuthorization, startApp, waitFor } from '@tranche/testing';
import { startGatewayStack } from './gateway-stack.js';

/** Longer than a consumer drains by default (10 s), and within the platform's timeout. */
const CALL_MS = 12_000;

it('a stop waits for a call under way as long as the platform has time to answer: its result is journaled, and no doubt', async () => {
  const stack = await startGatewayStack({ PLATFORM_TIMEOUT_MS: '15000' });
  try {
    await stack.fault({ match: { operation: 'authorization' }, fault: { latencyMs: CALL_MS } });
    const data = aPartnerAAuthorization({ orderId: 'during-a-stop' });
    await stack.send('payment.authorize', data, 'command-during-a-stop');
    await waitFor(async () => (await stack.ledgerOf('during-a-stop')).calls.length === 1, { what: 'the call' });
    const stopping = stack.gateway.stop();
    expect((await stack.ledgerOf('during-a-stop')).calls[0]).not.toHaveProperty('answered');
    expect(await stopping).toBe(0);
    // The result is in the journal, so the next gateway may publish the event.
    stack.gateway = await startApp('payment-gateway', stack.env);
    await stack.event('during-a-stop', 'payment.authorize.redirect_required');
    expect(stack.typesOf('during-a-stop')).toEqual(['payment.authorize.redirect_required']);
    expect((await stack.ledgerOf('during-a-stop')).calls).toHaveLength(1);
  } finally {
    await stack.stop();
  }
}, 120_000);
