import { silentLog } from '@tranche/runtime';
import { Health, Metrics, type ServiceLogger } from '@tranche/service-kit';
import type { GatewayConfig } from '../gateway.config.js';
import { Intake } from '../journal/intake.service.js';
import type { Journal } from '../journal/journal.service.js';
import type { OrderIndexStore } from '../journal/order-index.store.js';
import type { WaitingLookUps } from '../look-up/waiting-look-ups.service.js';
import { TimerWatchService } from './timer-watch.service.js';

it('takes no commands while our clock and that of Redis are more than 60 s apart, either way, and takes them again afterwards', async () => {
  const log = silentLog as ServiceLogger;
  const intake = new Intake(new Health(), log);
  let redisMs = 1_000_000;
  const index = {
    timeMs: () => Promise.resolve(redisMs),
    claimDueOrders: () => Promise.resolve([]),
  } as unknown as OrderIndexStore;
  const clock = { nowMs: () => 1_000_000, monotonicMs: () => 0, sleep: () => Promise.resolve() };
  const journal = {} as Journal;
  const lookUps = {} as WaitingLookUps;
  const config = {} as GatewayConfig;
  const watch = new TimerWatchService(journal, index, clock, new Metrics('spec'), lookUps, config, log, intake);
  const seen = async (ms: number) => {
    redisMs = 1_000_000 + ms;
    await watch.poll();
    return intake.blockedBecause;
  };
  expect(await seen(60_000)).toBeUndefined();
  expect(await seen(60_001)).toBe('the clocks of this service and of Redis are 60 s apart');
  expect(await seen(-864_000_000)).toContain('864000 s apart');
  expect(await seen(0)).toBeUndefined();
});
