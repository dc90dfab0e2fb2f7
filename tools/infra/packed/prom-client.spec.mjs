import * as theirs from 'prom-client';
import * as ours from './prom-client.mjs';

/** Uses every kind of metric as libs/kafka and libs/client do, and returns what the registry of prom-client prints. */
async function printed({ Counter, Gauge, Histogram }) {
  const registers = [new theirs.Registry()];
  const counter = new Counter({ name: 'commands_total', help: 'Commands', labelNames: ['type', 'result'], registers });
  counter.inc({ type: 'a', result: 'written' });
  counter.inc({ type: 'a', result: 'written' }, 4);
  counter.inc({ type: 'b', result: 'written' });
  new Counter({ name: 'alone_total', help: 'Without labels', labelNames: [], registers }).inc();
  const waits = new Gauge({ name: 'waits', help: 'Waits', registers });
  waits.set(3);
  const collect = () => lag.set({ group: 'shop' }, 7);
  const lag = new Gauge({ name: 'lag', help: 'Lag', labelNames: ['group'], registers, collect });
  const plain = new Histogram({ name: 'seconds', help: 'Seconds', buckets: [0.1, 1], labelNames: [], registers });
  for (const seconds of [0.1, 0.5, 2]) plain.observe(seconds);
  const ofGroup = new Histogram({ name: 'sizes', help: 'Sizes', buckets: [1], labelNames: ['group'], registers });
  ofGroup.observe({ group: 'shop' }, 1);
  return registers[0].metrics();
}

it('prints in a registry of prom-client what prom-client itself prints', async () => {
  const wanted = await printed(theirs);
  expect(wanted).toContain('commands_total{type="a",result="written"} 5');
  expect(await printed(ours)).toEqual(wanted);
});

it('is found by name in the registry, and needs none', () => {
  const registry = new theirs.Registry();
  const counter = new ours.Counter({ name: 'a_total', help: 'A', registers: [registry] });
  expect(registry.getSingleMetric('a_total')).toBe(counter);
  const without = new ours.Registry();
  new ours.Counter({ name: 'a_total', help: 'A', registers: [without] }).inc();
  expect(without.getSingleMetric('a_total')).toBeUndefined();
});
