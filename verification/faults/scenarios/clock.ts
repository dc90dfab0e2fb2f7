import { setTimeout as delay } from 'node:timers/promises';
import type { Scenario } from '../scenario.js';

const TEN_DAYS_MS = 10 * 24 * 60 * 60_000;
const RIGHT_FOR_MS = 2_000;
const WRONG_FOR_MS = 6_000;

/**
 * The wall clock of one of two gateways jumps while it works; Redis and the other gateway keep the right time. Kafka refuses records from
 * the future, so a gateway that is ahead cannot append: its partitions stand still until it is stopped.
 */
export const clockScenarios: readonly Scenario[] = [TEN_DAYS_MS, -TEN_DAYS_MS].map((jumpMs) => ({
  name: `clock-${jumpMs > 0 ? 'ahead' : 'behind'}`,
  fault: 'clock ±10 days',
  async run(stage, load) {
    const gateways = [await stage.gateway({ clockJump: { ms: jumpMs } }), await stage.gateway()];
    for (const gateway of gateways) await stage.ready(gateway);
    load.start();
    await delay(RIGHT_FOR_MS);
    if (gateways[0]) process.kill(gateways[0].pid, 'SIGUSR2');
    await delay(WRONG_FOR_MS);
    await gateways[0]?.stop();
    stage.faultEnded();
  },
}));
