import { setTimeout as delay } from 'node:timers/promises';
import type { Scenario } from '../scenario.js';

const PATIENCE_MS = 12_000;

/** A process that slept while another took its partitions must notice it before it sends. It may still record an answer that it got. */
const pastTheSession = ['prepared', 'granted', 'answer-read'].map((point): Scenario => ({
  name: `stopped-${point}`,
  fault: 'SIGSTOP past the session time-out',
  weight: 2,
  async run(stage, load) {
    const first = await stage.readyGateway({ failpoints: [{ point, hit: 1 + stage.random.below(3), do: 'stop' }] });
    load.start();
    const hasStopped = await stage.stops(first, point, PATIENCE_MS);
    // The second gateway is ready when it has the partitions, which is after the first one's session has expired.
    await stage.readyGateway();
    if (hasStopped) stage.goOn(first);
    stage.faultEnded();
  },
}));

const briefly: Scenario = {
  name: 'stopped-and-continued',
  fault: 'SIGSTOP, SIGCONT',
  async run(stage, load) {
    const gateways = [await stage.gateway(), await stage.gateway()];
    load.start();
    for (const gateway of gateways) await stage.ready(gateway);
    for (let times = 0; times < 4; times++) {
      const gateway = stage.random.pick(gateways);
      process.kill(gateway.pid, 'SIGSTOP');
      await delay(stage.random.between(200, 3_500));
      stage.goOn(gateway);
      await delay(300);
    }
    stage.faultEnded();
  },
};

export const stoppedScenarios: readonly Scenario[] = [...pastTheSession, briefly];
