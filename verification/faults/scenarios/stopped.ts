import type { Scenario } from '../scenario.js';

const PATIENCE_MS = 12_000;

/** A process that slept while another took its partitions must notice it before it sends. It may still record an answer that it got. */
export const stoppedScenarios = ['prepared', 'granted', 'answer-read'].map((point): Scenario => ({
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
