import { aCapture } from '@tranche/testing';
import type { Published } from '../src/index.js';
import { kafkaWorld } from './worlds.js';

const COMMANDS = 10_000;
const ORDERS = 400;

let world: Awaited<ReturnType<typeof kafkaWorld>>;
beforeAll(async () => (world = await kafkaWorld()));
afterAll(() => world.close());

it('publishes ten thousand commands at once, those of an order in the order of the calls', async () => {
  const { publisher } = await world.client({ publishTimeoutMs: 50_000 });
  const published = await Promise.all(
    Array.from({ length: COMMANDS }, (_, n) =>
      publisher.capture(aCapture({ orderId: `order-${n % ORDERS}` }), { id: `c-${n}`, rail: 'card' }),
    ),
  );
  const ofOrder = new Map<number, Published[]>();
  for (const [n, at] of published.entries()) ofOrder.set(n % ORDERS, [...(ofOrder.get(n % ORDERS) ?? []), at]);
  for (const list of ofOrder.values()) {
    expect(new Set(list.map(({ partition }) => partition)).size).toBe(1);
    for (const [n, { offset }] of list.entries()) if (n > 0) expect(offset > list[n - 1]!.offset).toBe(true);
  }
  expect(new Set(published.map(({ partition, offset }) => `${partition}/${offset}`)).size).toBe(COMMANDS);
});
