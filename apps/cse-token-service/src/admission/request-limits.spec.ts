import { createLogger, type RedisClient } from '@tranche/service-kit';
import type { CseConfig } from '../cse.config.js';
import { RequestLimits } from './request-limits.store.js';

const config = {
  redisKeyPrefix: 'cse:',
  requestsPerMinutePerAddress: 2,
  requestsPerMinutePerOrigin: 3,
} as CseConfig;
const log = createLogger({ name: 'test', level: 'silent' });

describe('limits', () => {
  let clock: jest.SpyInstance<number, []>;
  beforeEach(() => {
    clock = jest.spyOn(performance, 'now').mockReturnValue(0);
    jest.useFakeTimers({ doNotFake: ['performance'] });
  });
  afterEach(() => {
    jest.useRealTimers();
    clock.mockRestore();
  });

  /** Redis answers each count with the sum of all reports, and keeps them. */
  function counting(others = 0) {
    const reports: [string, string][] = [];
    const redis = {
      isReady: true,
      multi: () => ({}),
      eval: (_: string, { keys: [key = ''], arguments: [points = ''] }: { keys: string[]; arguments: string[] }) => {
        reports.push([key, points]);
        return Promise.resolve([Number(points) + others, 60_000]);
      },
    } as unknown as RedisClient;
    return { reports, limits: new RequestLimits(config, redis, log) };
  }

  it('count an address and an origin for a minute, and what its address was refused costs an origin nothing', () => {
    const limits = new RequestLimits(config, undefined, log);
    expect([1, 2, 3].map(() => limits.take('a', 'https://o'))).toEqual([undefined, undefined, 60]);
    expect(limits.take('b', 'https://o')).toBeUndefined();
    expect(limits.take('b', 'https://o')).toBe(60);
    clock.mockReturnValue(60_000);
    expect(limits.take('a', 'https://o')).toBeUndefined();
  });

  it('keep the newest addresses only, also without other instances to report them to', () => {
    const limits = new RequestLimits(config, undefined, log);
    const written = jest.spyOn(Map.prototype, 'set');
    for (let address = 0; address < 11_000; address++) limits.take(`address ${address}`, undefined);
    const maps = new Set(written.mock.contexts as Map<unknown, unknown>[]);
    written.mockRestore();
    expect([...maps].map(({ size }) => size)).toEqual([10_000]);
  });

  it('report to the other instances once what was taken, and not what was refused', async () => {
    const { reports, limits } = counting();
    for (const address of ['a', 'a', 'a', 'b']) limits.take(address, undefined);
    await jest.advanceTimersByTimeAsync(250);
    expect(reports).toEqual([
      ['cse:requests-of-address:a', '2'],
      ['cse:requests-of-address:b', '1'],
    ]);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(reports).toHaveLength(2);
    limits.take('b', undefined);
    await jest.advanceTimersByTimeAsync(250);
    expect(reports.slice(2)).toEqual([['cse:requests-of-address:b', '1']]);
  });

  it('report what was taken where a window ends', async () => {
    const { reports, limits } = counting();
    for (const nowMs of [59_900, 59_950, 120_000]) {
      clock.mockReturnValue(nowMs);
      limits.take('a', undefined);
    }
    await jest.advanceTimersByTimeAsync(250);
    expect(reports).toEqual([['cse:requests-of-address:a', '3']]);
  });

  it('give nothing while all instances together have taken too much', async () => {
    const { limits } = counting(10);
    limits.take('a', undefined);
    await jest.advanceTimersByTimeAsync(250);
    expect(limits.take('a', undefined)).toBe(60);
  });
});
