import { setTimeout as delay } from 'node:timers/promises';
import { CRASH_POINTS } from '../failpoints/failpoints.js';
import type { Scenario } from '../scenario.js';

const PATIENCE_MS = 12_000;
/** The index is rebuilt from the journal after each flush, so one run with all points would take too long. */
const GROUPS = [0, 1, 2].map((group) => CRASH_POINTS.filter((_, at) => at % 3 === group));

const flushedAtPoints = GROUPS.map((points, group): Scenario => ({
  name: `redis-flushed-at-points-${group + 1}`,
  fault: 'Redis flushed at a crash point',
  /** The gateway is stopped at the point, loses its index and continues. */
  async run(stage, load) {
    const failpoints = points.map((point) => ({ point, hit: 1 + stage.random.below(3), do: 'stop' as const }));
    const gateway = await stage.readyGateway({ failpoints });
    load.start();
    const flushAt = async (point: string) => {
      if (!(await stage.stops(gateway, point, PATIENCE_MS))) return;
      await stage.flushRedis();
      stage.goOn(gateway);
      stage.faultEnded();
    };
    await Promise.all(points.map(flushAt));
  },
}));

export const redisScenarios: readonly Scenario[] = [
  ...flushedAtPoints,
  {
    name: 'redis-flushed',
    fault: 'FLUSHALL',
    async run(stage, load) {
      await stage.gateway();
      await stage.readyGateway();
      load.start();
      for (let times = 0; times < 3; times++) {
        await delay(stage.random.between(300, 2_000));
        await stage.flushRedis();
        stage.faultEnded();
      }
    },
  },
  {
    name: 'redis-killed',
    fault: 'Redis killed and restarted',
    needs: ['redis'],
    weight: 2,
    async run(stage, load) {
      await stage.readyGateway();
      load.start();
      for (let times = 0; times < 2; times++) {
        await delay(stage.random.between(500, 2_000));
        await stage.killRedis();
        await delay(stage.random.between(100, 2_000));
        await stage.infrastructure.startRedis();
        stage.faultEnded();
      }
    },
  },
];
