import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { simulate } from './simulate.js';

const sourceOf = (file: string) => readFileSync(join(__dirname, '../../apps/payment-gateway/src', file), 'utf8');

it('starts its parts in the order of the service, and joins its groups after them', async () => {
  const events: string[] = [];
  await simulate({ seed: 1, isCalm: true, trace: (line) => events.push(line) });
  const first = (text: string) => events.findIndex((line) => line.includes(text));
  const order = [
    { part: 'journal', at: first('gateway-0.1 forgets') },
    { part: 'timer', at: first('gateway-0.1 looks for doubts') },
    { part: 'gateway group', at: first('gateway-0.1 gateway join: arrives') },
  ];
  expect(order.every(({ at }) => at >= 0)).toBe(true);
  // Nest calls these hooks in this order, and the service starts its consumers after them.
  expect(sourceOf('gateway-lifecycle.service.ts')).toMatch(/async onModuleInit\(\).*journal\.start\(\)/s);
  expect(sourceOf('clock.ts')).toContain('onApplicationBootstrap()');
  expect(sourceOf('timers/watches.service.ts')).toContain('class DoubtWatchService extends RepeatedWork');
});

it('forwards commands of another partitioner, and moves numbers from one instance to another', async () => {
  const seen = { forwarded: 0, moved: 0 };
  for (let seed = 1; seed <= 20; seed++) {
    const { world, rebalances, violations } = await simulate({ seed, profile: 'rough' });
    expect({ seed, violations }).toEqual({ seed, violations: [] });
    seen.forwarded += world.referee.commands.filter(({ isForwarded }) => isForwarded).length;
    seen.moved += rebalances;
  }
  expect(seen.forwarded).toBeGreaterThan(0);
  expect(seen.moved).toBeGreaterThan(20);
}, 120_000);
