import { waitingRecords } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { Metrics } from '@tranche/service-kit';
import type { GatewayConfig } from '../gateway.config.js';
import type { KafkaParts } from '../gateway-kafka.module.js';
import type { RailBreakers } from '../platform/rail-breakers.service.js';
import { Rails } from './rails.service.js';

jest.mock('@tranche/kafka', () => ({ ...jest.requireActual<object>('@tranche/kafka'), waitingRecords: jest.fn() }));

const counted = jest.mocked(waitingRecords);
beforeEach(() => {
  jest.useFakeTimers();
  counted.mockReset().mockResolvedValue({ count: 3, isWhole: true });
});
afterEach(() => jest.useRealTimers());

it('what waits for a stopped rail is counted at once, then every 30 s, until the rail runs', async () => {
  const breakers = { stopped: [{ rail: 'card', cause: 'unreachable', sinceMs: 0 }] };
  const rails = new Rails(
    { kafkaTopicPrefix: '', merchants: {} } as GatewayConfig,
    breakers as unknown as RailBreakers,
    { client: {}, log: silentLog, metrics: new Metrics('test') } as unknown as KafkaParts,
  );
  const afterMs = async (ms: number) => {
    jest.advanceTimersByTime(ms);
    await rails.poll();
    return counted.mock.calls.length;
  };
  expect([await afterMs(0), await afterMs(5_000), await afterMs(24_000), await afterMs(1_000)]).toEqual([1, 1, 1, 2]);
  expect(rails.views({}).find(({ rail }) => rail === 'card')?.waiting?.commands).toBe(3);

  const stopped = breakers.stopped.splice(0);
  expect(await afterMs(5_000)).toBe(2);
  breakers.stopped.push(...stopped);
  expect(await afterMs(5_000)).toBe(3);
});
