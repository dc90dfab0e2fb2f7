import { setTimeout as delay } from 'node:timers/promises';
import { CONDITIONS, type ConditionsName } from '@tranche/testing';
import { CRASH_POINTS } from '../failpoints/failpoints.js';
import type { Scenario } from '../scenario.js';
import type { Stage } from '../stage.js';

const PATIENCE_MS = 12_000;
/** Long enough for a record to be stored, and shorter than the producer's deadline. */
const LANDS_MS = 500;

/** The record is stored, but its acknowledgement never arrives: the connection breaks. */
const landed = (['prepared', 'answer-read'] as const).map((point): Scenario => ({
  name: `produce-landed-${point === 'prepared' ? 'intent' : 'outcome'}`,
  fault: 'a produce that timed out but landed',
  async run(stage, load) {
    const gateway = await stage.readyGateway({ through: ['kafka'], failpoints: [{ point, hit: 2, do: 'stop' }] });
    load.start();
    if (await stage.stops(gateway, point, PATIENCE_MS)) {
      await stage.proxies.kafka.setConditions(CONDITIONS['half-open']);
      stage.goOn(gateway);
      await delay(LANDS_MS);
      stage.proxies.kafka.resetConnections();
      await stage.proxies.kafka.set('pass');
    }
    stage.faultEnded();
  },
}));

const kafkaAway = (name: string, fault: string, weight: number, awayMs: number): Scenario => ({
  ...{ name, fault, weight, needs: ['kafka'] },
  async run(stage, load) {
    await stage.readyGateway();
    load.start();
    await delay(stage.random.between(500, 2_000));
    await stage.infrastructure.kafka!.killBroker();
    stage.kills++;
    await delay(awayMs);
    await stage.infrastructure.kafka!.startBroker();
    stage.faultEnded();
  },
});

/** The index is rebuilt from the journal after each flush, so one run with all points would take too long. */
const GROUPS = [0, 1, 2].map((group) => CRASH_POINTS.filter((_, at) => at % 3 === group));

/** The gateway is stopped at the point, loses its index and continues. */
const flushedAtPoints = GROUPS.map((points, group): Scenario => ({
  name: `redis-flushed-at-points-${group + 1}`,
  fault: 'Redis flushed at a crash point',
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

const redisLost = (
  lost: { name: string; fault: string; times: number } & Pick<Scenario, 'needs' | 'weight'>,
  act: (stage: Stage) => Promise<void>,
): Scenario => ({
  ...lost,
  async run(stage, load) {
    await stage.gateway();
    await stage.readyGateway();
    load.start();
    for (let times = 0; times < lost.times; times++) {
      await delay(stage.random.between(300, 2_000));
      await act(stage);
      stage.faultEnded();
    }
  },
});

const WAYS = {
  platform: ['latency', 'throttle', 'blackhole', 'half-open', 'cut', 'reset'],
  ingest: ['latency', 'blackhole', 'half-open', 'cut', 'reset'],
  kafka: ['latency', 'blackhole', 'half-open', 'cut', 'reset'],
  redis: ['latency', 'blackhole', 'half-open', 'cut', 'reset'],
} as const satisfies Record<string, readonly ConditionsName[]>;

/** Plays every network fault on one connection, in random order. Held bytes arrive late or never. */
const networks = (Object.keys(WAYS) as (keyof typeof WAYS)[]).map((way): Scenario => ({
  name: `network-${way}`,
  fault: `TCP faults: ${way}`,
  weight: 2,
  async run(stage, load) {
    const proxy = stage.proxies[way];
    await stage.readyGateway({ through: way === 'kafka' || way === 'redis' ? [way] : [] });
    load.start();
    const left: ConditionsName[] = [...WAYS[way]];
    while (left.length > 0) {
      await delay(stage.random.between(200, 800));
      const [conditions = 'pass'] = left.splice(stage.random.below(left.length), 1);
      await proxy.set(conditions);
      await delay(stage.random.between(400, 1_800));
      if (stage.random.chance(0.5)) proxy.resetConnections();
      await proxy.set('pass');
    }
    stage.faultEnded();
  },
}));

export const storeScenarios: readonly Scenario[] = [
  ...landed,
  kafkaAway('kafka-killed', 'Kafka killed and restarted', 2, 0),
  kafkaAway('kafka-away-60-s', 'Kafka away for 60 s', 0, 60_000),
  ...flushedAtPoints,
  redisLost({ name: 'redis-flushed', fault: 'FLUSHALL', times: 3 }, (stage) => stage.flushRedis()),
  redisLost(
    { name: 'redis-killed', fault: 'Redis killed and restarted', needs: ['redis'], weight: 2, times: 2 },
    async (stage) => {
      await stage.infrastructure.killRedis();
      stage.kills++;
      await delay(stage.random.between(100, 2_000));
      await stage.infrastructure.startRedis();
    },
  ),
  ...networks,
];
