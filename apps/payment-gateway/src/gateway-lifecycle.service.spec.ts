import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { silentLog } from '@tranche/runtime';
import { ServiceLifetime, ServiceLogger } from '@tranche/service-kit';
import { Controls } from './decisions/controls.service.js';
import { GatewayLifecycle } from './gateway-lifecycle.service.js';
import { DoubtWatchService, TimerWatchService } from './timers/watches.service.js';
import { JournalGauges } from './journal/journal-gauges.service.js';
import { JournalMemory } from './journal/journal-memory.service.js';
import { Journal } from './journal/journal.service.js';
import { Recovery } from './journal/recovery.service.js';
import { RedisGuard } from './journal/redis-guard.service.js';
import { LookUpScheduler } from './look-up/look-up-scheduler.service.js';

const STEPS = ['Redis', 'decisions', 'controls', 'clocks', 'journal'] as const;
const INTERVALS = {
  DoubtWatchService,
  JournalGauges,
  JournalMemory,
  LookUpScheduler,
  RedisGuard,
  TimerWatchService,
};

afterEach(() => jest.restoreAllMocks());

/** The gateway's parts in Nest, each in a module that is imported first, with recorded starts and stops. With `at`, a stop is requested during that step. */
function gateway(at?: (typeof STEPS)[number]) {
  const calls: string[] = [];
  const lifetime = new ServiceLifetime();
  const step = (name: (typeof STEPS)[number]) => () => {
    calls.push(name);
    if (name === at) lifetime.stop(new Error('the service is stopping'));
    return Promise.resolve();
  };
  const note = (name: string) => () => void calls.push(name);
  for (const [name, { prototype }] of Object.entries(INTERVALS)) {
    jest.spyOn(prototype, 'onApplicationBootstrap').mockImplementation(note(`${name} starts`));
    jest.spyOn(prototype, 'onModuleDestroy').mockImplementation(note(`${name} stops`));
  }
  const timerWatch = Object.assign(Object.create(TimerWatchService.prototype) as TimerWatchService, {
    assertAgreed: step('clocks'),
  });
  const redis = Object.assign(Object.create(RedisGuard.prototype) as RedisGuard, { assertUsable: step('Redis') });
  const parts = [
    { provide: RedisGuard, useValue: redis },
    { provide: Recovery, useValue: { load: step('decisions') } },
    { provide: Controls, useValue: { load: step('controls') } },
    { provide: Journal, useValue: { start: step('journal'), stop: note('journal stops') } },
    ...[DoubtWatchService, JournalGauges, JournalMemory, LookUpScheduler].map((provide) => ({
      provide,
      useValue: Object.create(provide.prototype as object) as object,
    })),
    { provide: TimerWatchService, useValue: timerWatch },
    { provide: ServiceLifetime, useValue: lifetime },
    { provide: ServiceLogger, useValue: silentLog },
  ];
  class Parts {}
  Module({ providers: parts, exports: parts })(Parts);
  class Gateway {}
  Module({ imports: [Parts], providers: [GatewayLifecycle] })(Gateway);
  const start = () => NestFactory.createApplicationContext(Gateway, { logger: false, abortOnError: false });
  return { calls, lifetime, start };
}

const started = Object.keys(INTERVALS).map((name) => `${name} starts`);
const stopped = Object.keys(INTERVALS).map((name) => `${name} stops`);

it('starts its parts in order, what runs on an interval last', async () => {
  const { calls, start } = gateway();
  const app = await start();
  expect(calls.slice(0, 5)).toEqual(['Redis', 'decisions', 'controls', 'clocks', 'journal']);
  expect(calls.slice(5).sort()).toEqual(started);
  await app.close();
});

it('stops what runs on an interval first, and the journal last', async () => {
  const { calls, start } = gateway();
  const app = await start();
  calls.splice(0);
  await app.close();
  expect(calls.slice(0, started.length).sort()).toEqual(stopped);
  expect(calls.slice(started.length)).toEqual(['journal stops']);
});

it('stopped while Kafka was awaited it starts nothing', async () => {
  const { calls, start, lifetime } = gateway();
  lifetime.stop(new Error('the service is stopping'));
  await expect(start()).rejects.toThrow('the service is stopping');
  expect(calls).toEqual([]);
});

it.each(STEPS)('stopped during the step %s it starts nothing more', async (at) => {
  const { calls, start } = gateway(at);
  await expect(start()).rejects.toThrow('the service is stopping');
  expect(calls).toEqual(STEPS.slice(0, STEPS.indexOf(at) + 1));
});
