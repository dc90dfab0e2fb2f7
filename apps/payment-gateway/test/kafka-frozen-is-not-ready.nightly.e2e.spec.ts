import { aPartnerAAuthorization, brokerGate, infrastructure, waitFor } from '@tranche/testing';
import { startGatewayStack } from './gateway-stack.js';

it('Kafka frozen, with its connections open: an idle gateway is not ready within 15 s, and ready and working again afterwards', async () => {
  const gate = await brokerGate(infrastructure().brokers);
  const stack = await startGatewayStack({ KAFKA_BROKERS: gate.address });
  const readiness = async () => fetch(`${stack.gateway.managementUrl}/health/ready`);
  try {
    await waitFor(async () => (await readiness()).ok, { what: 'ready' });
    gate.freeze();
    const isNoticed = async () => {
      const answer = await readiness();
      return !answer.ok && (await answer.text()).includes('has not answered for');
    };
    await waitFor(isNoticed, { timeoutMs: 15_000, what: 'not ready because of Kafka' });
    expect(await stack.metric('kafka_answers')).toBe(0);
    gate.thaw();
    await waitFor(async () => (await readiness()).ok, { timeoutMs: 30_000, what: 'ready again' });
    expect(await stack.metric('kafka_answers')).toBe(1);
    await stack.send('payment.authorize', aPartnerAAuthorization({ orderId: 'after-the-freeze' }));
    await stack.event('after-the-freeze', 'payment.authorize.redirect_required');
  } finally {
    await stack.stop();
    await gate.close();
  }
}, 120_000);
