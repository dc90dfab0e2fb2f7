import { setTimeout as delay } from 'node:timers/promises';
import type { WeatherName } from '../proxy.js';
import type { Scenario } from '../scenario.js';

const WAYS = {
  platform: ['latency', 'throttle', 'blackhole', 'half-open', 'cut', 'reset'],
  ingest: ['latency', 'blackhole', 'half-open', 'cut', 'reset'],
  kafka: ['latency', 'blackhole', 'half-open', 'cut', 'reset'],
  redis: ['latency', 'blackhole', 'half-open', 'cut', 'reset'],
} as const satisfies Record<string, readonly WeatherName[]>;
type Way = keyof typeof WAYS;

/** Plays every network fault on one connection, in random order. Held bytes arrive late or never. */
export const networkScenarios: readonly Scenario[] = (Object.keys(WAYS) as Way[]).map((way) => ({
  name: `network-${way}`,
  fault: `TCP faults: ${way}`,
  weight: 2,
  async run(stage, load) {
    const proxy = stage.proxies[way];
    await stage.readyGateway({ through: way === 'kafka' || way === 'redis' ? [way] : [] });
    load.start();
    const left: WeatherName[] = [...WAYS[way]];
    while (left.length > 0) {
      await delay(stage.random.between(200, 800));
      const [weather = 'pass'] = left.splice(stage.random.below(left.length), 1);
      await proxy.set(weather);
      await delay(stage.random.between(400, 1_800));
      if (stage.random.chance(0.5)) proxy.resetConnections();
      await proxy.set('pass');
    }
    stage.faultEnded();
  },
}));
