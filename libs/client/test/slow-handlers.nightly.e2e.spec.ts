import { Registry } from 'prom-client';
import { waitFor } from '@tranche/testing';
import { kafkaWorld, succeeded } from './worlds.js';

const CAPTURED = 'payment.capture.succeeded';
const ORDERS = 24;

let world: Awaited<ReturnType<typeof kafkaWorld>>;
beforeAll(async () => (world = await kafkaWorld()));
afterAll(() => world.close());

it('keeps its place in the group while handlers take longer than the session, and runs no more of them than allowed', async () => {
  const metrics = new Registry();
  const reading = async (name: string) => (await metrics.getSingleMetric(name)!.get()).values[0]?.value ?? 0;
  const client = await world.client({ metrics });
  let running = 0;
  let most = 0;
  const came: string[] = [];
  let release: () => void = () => undefined;
  const slow = new Promise<void>((resolve) => (release = resolve));
  const subscription = await client.subscribe({
    group: 'slow',
    inFlight: 4,
    sessionTimeoutMs: 5_000,
    on: {
      [CAPTURED]: async ({ data }) => {
        most = Math.max(most, ++running);
        await slow;
        running--;
        came.push(data.orderId);
      },
    },
  });
  for (let n = 0; n < ORDERS; n++) await world.emit(CAPTURED, succeeded(`slow-${n}`, 'c'));
  await waitFor(async () => (await reading('kafka_oldest_record_age_seconds')) > 8, {
    what: 'more than a session to pass',
    timeoutMs: 30_000,
  });
  expect(client.health()).toEqual({ isLive: true, isReady: true, reasons: [] });
  expect(came).toEqual([]);
  release();
  await waitFor(() => came.length === ORDERS, { what: 'all events' });
  expect(most).toBe(4);
  await subscription.close();
  expect(came).toHaveLength(ORDERS);
  expect(await reading('kafka_rebalances_total')).toBe(1);
  expect((await metrics.getSingleMetric('tranche_client_events_total')!.get()).values).toEqual([
    expect.objectContaining({ labels: { group: 'slow', result: 'handled' }, value: ORDERS }),
  ]);
});
