import { readFileSync } from 'node:fs';
import { COMMAND_TOPICS, orderKey } from '@tranche/contracts';
import { aPartnerAAuthorization, BOMBS, infrastructure, sendPacked } from '@tranche/testing';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';

const MIB = 1024;
/** The most memory that the process ever held, KiB (VmHWM). */
const peakKib = (pid: number) => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

describe('batches of 1 MiB that unpack to 1 GiB', () => {
  let stack: GatewayStack;
  beforeAll(async () => (stack = await startGatewayStack()));
  afterAll(() => stack.stop());

  it.each(Object.entries(BOMBS))(
    'the gateway answers the next command of the key within 10 s: %s',
    async (name, bomb) => {
      const data = aPartnerAAuthorization({ orderId: `after-${name}` });
      const key = orderKey(data.merchant, data.orderId);
      const packed = await bomb.packed(key);
      const topic = stack.prefix + COMMAND_TOPICS['partner-a'].name;
      await sendPacked(infrastructure().brokers, topic, { type: bomb.type, packed, key });
      const sentMs = performance.now();
      await stack.send('payment.authorize', data);
      await stack.event(data.orderId, 'payment.authorize.redirect_required');
      expect(performance.now() - sentMs).toBeLessThan(10_000);
    },
  );

  it('and the gateway never held more than 600 MiB', () => {
    expect(peakKib(stack.gateway.pid)).toBeLessThan(600 * MIB);
    console.info(`peak of the gateway: ${Math.round(peakKib(stack.gateway.pid) / MIB)} MiB`);
  });
});
