import { randomUUID } from 'node:crypto';
import { COMMAND_TOPICS, encodeCloudEvent, orderKey } from '@tranche/contracts';
import { aCommand, aPartnerBAuthorization } from '@tranche/testing';
import { joinGatewayStage, type GatewayStack } from './gateway-stack.js';

let stack: GatewayStack;
beforeAll(async () => (stack = await joinGatewayStage()));
afterAll(() => stack.stop());

it('carries the trace of a command on to its events, without an exporter', async () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const data = aPartnerBAuthorization({ orderId: 'trace-goes-through' });
  const { headers, value } = encodeCloudEvent(
    aCommand('payment.authorize', data, { id: randomUUID(), time: new Date().toISOString(), traceparent }),
  );
  await stack.sendRecord(COMMAND_TOPICS['partner-b'].name, orderKey(data.merchant, data.orderId), value, headers);
  const event = await stack.event('trace-goes-through', 'payment.authorize.redirect_required');
  expect(event.traceparent).toBe(traceparent);
});
