import { infrastructure, startApp, startSimulator, type RunningApp } from '@tranche/testing';
import type { kafkaWorld } from './worlds.js';

/** The real gateway and a simulator behind a world's topics; they end with it. */
export async function startGateway(
  world: Awaited<ReturnType<typeof kafkaWorld>>,
): Promise<{ executed(orderId: string): Promise<number> }> {
  const started = async (app: Promise<RunningApp>) => {
    const running = await app;
    world.atEnd(() => running.stop());
    return running;
  };
  const simulator = await started(startSimulator());
  const env = {
    KAFKA_BROKERS: world.brokers.join(','),
    KAFKA_TOPIC_PREFIX: world.prefix,
    REDIS_URL: infrastructure().redisUrl,
    PAYMENT_URL: simulator.url,
    AUTH_SERVICE_KEY: 'not-used',
  };
  await started(startApp('payment-gateway', env));
  return {
    /** How often the platform was called for the order. */
    async executed(orderId) {
      const ledger = (await (await fetch(`${simulator.url}/simulator/ledger?orderId=${orderId}`)).json()) as {
        calls: unknown[];
      };
      return ledger.calls.length;
    },
  };
}
