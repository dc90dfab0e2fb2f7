import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { simulate } from './simulate.js';

/** Reads the service's parts from its source, in starting order. Consumers of commands start later, at the module's initialisation. */
function startsOfTheService(): string[] {
  const file = join(__dirname, '../../apps/payment-gateway/src/gateway-lifecycle.service.ts');
  const [, body = ''] = /async onModuleInit\(\)[^{]*\{(.*?)\n  \}/s.exec(readFileSync(file, 'utf8')) ?? [];
  return [...body.matchAll(/\b(projector|journal|timer)\.start\(\)/g)].map(([, part = '']) => part);
}

it('starts its parts in the order of the service, the projector first (seed 12692)', async () => {
  const service = startsOfTheService();
  expect(service).toHaveLength(3);
  const events: string[] = [];
  await simulate({ seed: 1, isCalm: true, trace: (line) => events.push(line) });
  const first = (text: string) => events.findIndex((line) => line.includes(text));
  const order = [
    { part: 'projector', at: first('gateway-0.1 projector join: arrives') },
    { part: 'journal', at: first('gateway-0.1 journal offsets: arrives') },
    { part: 'timer', at: first('gateway-0.1 looks for doubts') },
  ];
  expect(order.every(({ at }) => at >= 0)).toBe(true);
  expect(order.sort((one, other) => one.at - other.at).map(({ part }) => part)).toEqual(service);
  // The simulation once differed here: its projector checked the index only after the view had caught up.
  expect(first('gateway-0.1 looks at the index')).toBeGreaterThan(0);
});

it('looks after the index while the view still catches up', async () => {
  const events: string[] = [];
  await simulate({ seed: 12_692, trace: (line) => events.push(line) });
  const starts = events.flatMap((line, at) =>
    /gateway-\d\.\d+ journal offsets: arrives/.test(line) ? [{ line, at }] : [],
  );
  const life = (line: string) => /gateway-\d\.\d+/.exec(line)?.[0] ?? '';
  const pollsBeforeTimers = starts.filter(({ line, at }) => {
    const ofLife = events.slice(at).filter((other) => life(other) === life(line));
    const poll = ofLife.findIndex((other) => other.includes('looks at the index'));
    const timers = ofLife.findIndex((other) => other.includes('looks for doubts'));
    return poll >= 0 && (timers < 0 || poll < timers);
  });
  expect(pollsBeforeTimers.length).toBeGreaterThan(0);
});
