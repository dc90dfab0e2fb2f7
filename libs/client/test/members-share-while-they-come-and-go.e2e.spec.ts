import { Registry } from 'prom-client';
import { waitFor } from '@tranche/testing';
import type { EventHandlers } from '../src/index.js';
import { kafkaWorld, succeeded } from './worlds.js';

const CAPTURED = 'payment.capture.succeeded';
const ORDERS = 40;
const ROUNDS = 30;
/** How long a drain waits for what runs, seconds. Handlers here end at once: only Kafka makes one last longer. */
const DRAIN_S = 1.5;

const metrics = new Registry();
let world: Awaited<ReturnType<typeof kafkaWorld>>;
beforeAll(async () => (world = await kafkaWorld()));
afterAll(() => world.close());

/** What a drain that Kafka did not answer in time had no chance to commit comes again, as events may (decision 0029). */
async function mayHaveComeAgain(): Promise<boolean> {
  const { values } = await metrics.getSingleMetric('kafka_drain_seconds')!.get();
  const drainsWithin = (le: number | '+Inf') => values.find(({ labels }) => labels.le === le)!.value;
  return drainsWithin('+Inf') > drainsWithin(DRAIN_S);
}

it('handles every event once and in order while a second subscriber comes and the first one goes', async () => {
  const came = new Map<string, number[]>();
  const running = new Set<string>();
  const by = { one: 0, two: 0 };
  const noting = (member: 'one' | 'two'): EventHandlers => ({
    [CAPTURED]: async ({ data: { orderId, commandId } }) => {
      expect(running.has(orderId)).toBe(false);
      running.add(orderId);
      await new Promise((resolve) => setImmediate(resolve));
      running.delete(orderId);
      came.set(orderId, [...(came.get(orderId) ?? []), Number(commandId)]);
      by[member]++;
    },
  });
  const round = (n: number) =>
    Promise.all(
      Array.from({ length: ORDERS }, (_, order) => world.emit(CAPTURED, succeeded(`order-${order}`, String(n)))),
    );
  const subscribed = async (member: 'one' | 'two') =>
    (await world.client({ metrics })).subscribe({ group: 'shared', on: noting(member), sessionTimeoutMs: 30_000 });
  const one = await subscribed('one');
  for (let n = 0; n < 10; n++) await round(n);
  const joining = subscribed('two');
  for (let n = 10; n < 20; n++) await round(n);
  const two = await joining;
  await round(20);
  await waitFor(() => by.two > 0, { what: 'the second subscriber to handle something' });
  const leaving = one.close();
  for (let n = 21; n < ROUNDS; n++) await round(n);
  await leaving;
  const count = () => [...came.values()].reduce((sum, list) => sum + new Set(list).size, 0);
  await waitFor(() => count() >= ORDERS * ROUNDS, { timeoutMs: 60_000, what: 'all events' });
  const all = Array.from({ length: ROUNDS }, (_, n) => n);
  const areRepeatsRight = await mayHaveComeAgain();
  for (const numbers of came.values()) expect(areRepeatsRight ? [...new Set(numbers)] : numbers).toEqual(all);
  expect(by.one).toBeGreaterThan(0);
  await two.close();
});
