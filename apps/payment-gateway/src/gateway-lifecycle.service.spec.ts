import { silentLog } from '@tranche/runtime';
import { ServiceLifetime, type ServiceLogger } from '@tranche/service-kit';
import { GatewayLifecycle } from './gateway-lifecycle.service.js';
import type { DoubtWatchService } from './journal/doubt-watch.service.js';
import type { JournalGauges } from './journal/journal-gauges.service.js';
import type { Journal } from './journal/journal.service.js';
import type { Recovery } from './journal/recovery.service.js';
import type { RedisGuard } from './journal/redis-guard.service.js';
import type { TimerWatchService } from './timers/timer-watch.service.js';
import type { LookUpScheduler } from './look-up/look-up-scheduler.service.js';

const STEPS = ['assertUsable', 'recovery', 'agreed', 'journal'] as const;

/** A gateway with recorded start and stop calls; with `at`, a stop is requested during that step. */
function gateway(at?: (typeof STEPS)[number]) {
  const calls: string[] = [];
  const lifetime = new ServiceLifetime();
  const step = (name: (typeof STEPS)[number]) => () => {
    calls.push(name);
    if (name === at) lifetime.stop(new Error('the service is stopping'));
    return Promise.resolve();
  };
  const started = (name: string) => ({ start: () => void calls.push(name) });
  const recovery = { load: step('recovery') } as unknown as Recovery;
  const redis = { assertUsable: step('assertUsable'), start: () => undefined } as unknown as RedisGuard;
  const journal = { start: step('journal') } as unknown as Journal;
  const gauges = started('gauges') as unknown as JournalGauges;
  const doubtWatch = started('doubtWatch') as unknown as DoubtWatchService;
  const timerWatch = { ...started('timerWatch'), assertAgreed: step('agreed') } as unknown as TimerWatchService;
  const lookUps = started('lookUps') as unknown as LookUpScheduler;
  const log = silentLog as ServiceLogger;
  const timers = [doubtWatch, timerWatch, lookUps] as const;
  const lifecycle = new GatewayLifecycle(...([recovery, redis, gauges, journal, ...timers, lifetime, log] as const));
  return { calls, lifecycle, lifetime };
}

it('starts its parts in order, the timers last', async () => {
  const { calls, lifecycle } = gateway();
  await lifecycle.onModuleInit();
  expect(calls).toEqual([
    ...['assertUsable', 'recovery', 'agreed', 'journal'],
    ...['doubtWatch', 'timerWatch', 'lookUps', 'gauges'],
  ]);
});

it('stopped while Kafka was awaited it starts nothing', async () => {
  const { calls, lifecycle, lifetime } = gateway();
  lifetime.stop(new Error('the service is stopping'));
  await expect(lifecycle.onModuleInit()).rejects.toThrow('the service is stopping');
  expect(calls).toEqual([]);
});

it.each(STEPS)('stopped during %s it starts nothing more', async (at) => {
  const { calls, lifecycle } = gateway(at);
  await expect(lifecycle.onModuleInit()).rejects.toThrow('the service is stopping');
  expect(calls).toEqual(STEPS.slice(0, STEPS.indexOf(at) + 1));
  expect(calls.at(-1)).toBe(at);
});
