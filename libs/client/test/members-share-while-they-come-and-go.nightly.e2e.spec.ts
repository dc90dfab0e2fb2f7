import { waitFor } from '@tranche/testing';
import type { EventHandlers } from '../src/index.js';
import { kafkaWorld, succeeded } from './worlds.js';

const CAPTURED = 'payment.capture.succeeded';
const ORDERS = 40;
const ROUNDS = 30;

let world: Awaited<ReturnType<typeof kafkaWorld>>;
beforeAll(async () => (world = await kafkaWorld()));
afterAll(() => world.close());

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
  const one = await (await world.client()).subscribe({ group: 'shared', on: noting('one') });
  for (let n = 0; n < 10; n++) await round(n);
  const joining = (await world.client()).subscribe({ group: 'shared', on: noting('two') });
  for (let n = 10; n < 20; n++) await round(n);
  const two = await joining;
  await round(20);
  await waitFor(() => by.two > 0, { what: 'the second subscriber to handle something' });
  const leaving = one.close();
  for (let n = 21; n < ROUNDS; n++) await round(n);
  await leaving;
  const count = () => [...came.values()].reduce((sum, list) => sum + list.length, 0);
  await waitFor(() => count() >= ORDERS * ROUNDS, { timeoutMs: 30_000, what: 'all events' });
  for (const numbers of came.values()) expect(numbers).toEqual(Array.from({ length: ROUNDS }, (_, n) => n));
  expect(by.one).toBeGreaterThan(0);
  await two.close();
});
