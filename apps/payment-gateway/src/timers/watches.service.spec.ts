import { AgreedClock, TimerWatch } from '@tranche/order-journal';
import { silentLog } from '@tranche/runtime';
import { Health, Metrics, type ServiceLogger } from '@tranche/service-kit';
import { CommandGate } from '../journal/command-gate.service.js';
import type { Journal } from '../journal/journal.service.js';
import type { OwnedTimers } from './timers.module.js';
import { TimerWatchService } from './watches.service.js';

function watched(timeMs: () => Promise<number>) {
  const log = silentLog as ServiceLogger;
  const commandGate = new CommandGate(new Health(), log);
  const index = { timeMs, dueOrders: () => Promise.resolve([]) } as unknown as OwnedTimers;
  const clock = new AgreedClock({ nowMs: () => 1_000_000, monotonicMs: () => 0, sleep: () => Promise.resolve() });
  const timers = new TimerWatch({} as Journal, index, clock, { untilMs: () => 0 }, log, () => Promise.resolve(true));
  const watch = new TimerWatchService(timers, new Metrics('spec'), log, commandGate);
  return { commandGate, watch };
}

it('takes no commands while Redis refuses TIME: no timer would run, and no alarm would show it', async () => {
  let refusal: Error | undefined = new Error("NOPERM this user has no permissions to run the 'time' command");
  const { commandGate, watch } = watched(() => (refusal ? Promise.reject(refusal) : Promise.resolve(1_000_000)));
  await watch.poll();
  expect(commandGate.blockedBecause).toContain('allow the command TIME');
  refusal = undefined;
  await watch.poll();
  expect(commandGate.blockedBecause).toBeUndefined();
});

it('takes no commands while our clock and that of Redis are more than 60 s apart, either way, and takes them again afterwards', async () => {
  let redisMs = 1_000_000;
  const { commandGate, watch } = watched(() => Promise.resolve(redisMs));
  const seen = async (ms: number) => {
    redisMs = 1_000_000 + ms;
    await watch.poll();
    return commandGate.blockedBecause;
  };
  expect(await seen(60_000)).toBeUndefined();
  expect(await seen(60_001)).toBe('the clocks of this service and of Redis are 60 s apart');
  expect(await seen(-864_000_000)).toContain('864000 s apart');
  expect(await seen(0)).toBeUndefined();
});

it('has agreed once Redis returned about the same time', async () => {
  let redisMs = 1_060_001;
  const { watch } = watched(() => Promise.resolve(redisMs));
  await expect(watch.assertAgreed()).rejects.toThrow('the clocks of this service and of Redis are 60 s apart');
  redisMs = 1_000_000;
  await expect(watch.assertAgreed()).resolves.toBeUndefined();
});
