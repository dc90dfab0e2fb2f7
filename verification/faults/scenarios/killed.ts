import type { RunningApp } from '@tranche/testing';
import { CRASH_POINTS, INGEST_POINTS } from '../failpoints/failpoints.js';
import type { Scenario } from '../scenario.js';
import type { Stage } from '../stage.js';

/** By then the load is over, or no command passes the point any more. */
const PATIENCE_MS = 60_000;
const INGEST_KILLS = 3;

/**
 * Processes die by SIGKILL exactly at the point: two gateways that share the partitions, then their successor. The last gateway survives.
 */
export const killedScenarios: readonly Scenario[] = CRASH_POINTS.map((crashPoint) => ({
  name: `killed-${crashPoint}`,
  fault: 'SIGKILL',
  crashPoint,
  weight: 20,
  load: { orders: 20 },
  async run(stage, load) {
    const armed = (hit: number) => stage.gateway({ failpoints: [{ point: crashPoint, hit, do: 'kill' }] });
    const first = [await armed(1 + stage.random.below(4)), await armed(1 + stage.random.below(4))];
    // A backlog would be granted at once, so the first death would leave all of it in doubt.
    await Promise.all(first.map((gateway) => stage.ready(gateway)));
    load.start();
    const deaths = first.map((gateway) => endsAt(stage, gateway, crashPoint));
    await Promise.race(deaths);
    stage.faultEnded();
    const third = await armed(1);
    await Promise.all(deaths);
    const last = await stage.gateway();
    stage.faultEnded();
    await endsAt(stage, third, crashPoint);
    stage.faultEnded();
    await stage.ready(last);
  },
}));

/** A gateway that never passed the point is stopped: it could die later, when the scenario no longer watches it. */
async function endsAt(stage: Stage, gateway: RunningApp, point: string): Promise<void> {
  if (!(await stage.dies(gateway, point, PATIENCE_MS))) await gateway.stop();
}

/** The platform gets no OK, so it sends the notification again. */
export const ingestKilledScenarios: readonly Scenario[] = INGEST_POINTS.map((point) => ({
  name: `ingest-killed-${point}`,
  fault: 'notification-ingest killed',
  weight: 2,
  async run(stage, load) {
    await stage.readyGateway();
    await stage.ingest?.stop();
    load.start();
    for (let kills = 0; kills < INGEST_KILLS; kills++) {
      const ingest = await stage.startIngest({ failpoints: [{ point, hit: 1 + stage.random.below(4), do: 'kill' }] });
      if (kills > 0) stage.faultEnded();
      if (!(await stage.dies(ingest, point, PATIENCE_MS))) {
        await ingest.stop();
        break;
      }
    }
    await stage.ready(await stage.startIngest());
    stage.faultEnded();
  },
}));
