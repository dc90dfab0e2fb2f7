import { setTimeout as delay } from 'node:timers/promises';
import type { RunningApp } from '@tranche/testing';
import { CRASH_POINTS, INGEST_POINTS } from '../failpoints/failpoints.js';
import type { Scenario } from '../scenario.js';
import type { Stage } from '../stage.js';

/** By then the load is over, or no command passes the point any more. */
const DEATH_PATIENCE_MS = 60_000;
const STOP_PATIENCE_MS = 12_000;
const INGEST_KILLS = 3;
const TEN_DAYS_MS = 10 * 24 * 60 * 60_000;

/**
 * Processes die by SIGKILL exactly at the point: two gateways that share the partitions, then their successor. The last gateway survives.
 */
const killed = CRASH_POINTS.map((crashPoint): Scenario => ({
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
    stage.faultEnded();
    await endsAt(stage, third, crashPoint);
    stage.faultEnded();
    await stage.readyGateway();
  },
}));

/** A gateway that never passed the point is stopped: it could die later, when the scenario no longer watches it. */
async function endsAt(stage: Stage, gateway: RunningApp, point: string): Promise<void> {
  if (!(await stage.dies(gateway, point, DEATH_PATIENCE_MS))) await gateway.stop();
}

/** A process that slept while another took its partitions must notice it before it sends. It may still record an answer that it got. */
const stopped = ['prepared', 'granted', 'answer-read'].map((point): Scenario => ({
  name: `stopped-${point}`,
  fault: 'SIGSTOP past the session time-out',
  weight: 2,
  async run(stage, load) {
    const first = await stage.readyGateway({ failpoints: [{ point, hit: 1 + stage.random.below(3), do: 'stop' }] });
    load.start();
    const hasStopped = await stage.stops(first, point, STOP_PATIENCE_MS);
    // The second gateway is ready when it has the partitions, which is after the first one's session has expired.
    await stage.readyGateway();
    if (hasStopped) stage.goOn(first);
    stage.faultEnded();
  },
}));

/** The platform gets no OK, so it sends the notification again. */
const ingestKilled = INGEST_POINTS.map((point): Scenario => ({
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
      if (!(await stage.dies(ingest, point, DEATH_PATIENCE_MS))) {
        await ingest.stop();
        break;
      }
    }
    await stage.ready(await stage.startIngest());
    stage.faultEnded();
  },
}));

/**
 * The wall clock of one of two gateways jumps while it works; Redis and the other gateway keep the right time. Kafka refuses records from
 * the future, so a gateway that is ahead cannot append: its partitions stand still until it is stopped.
 */
const clocks = [TEN_DAYS_MS, -TEN_DAYS_MS].map((jumpMs): Scenario => ({
  name: `clock-${jumpMs > 0 ? 'ahead' : 'behind'}`,
  fault: 'clock ±10 days',
  async run(stage, load) {
    const wrong = await stage.gateway({ clockJump: { ms: jumpMs } });
    for (const gateway of [wrong, await stage.gateway()]) await stage.ready(gateway);
    load.start();
    await delay(2_000);
    process.kill(wrong.pid, 'SIGUSR2');
    await delay(6_000);
    await wrong.stop();
    stage.faultEnded();
  },
}));

/** Two consumer groups give every command to both gateways, so only the journal prevents a second call. */
const twoOwners: Scenario = {
  name: 'two-owners',
  fault: 'two owners forced',
  weight: 2,
  async run(stage, load) {
    const second = await stage.gateway({ env: { SECOND_OWNER: '.second' } });
    for (const owner of [await stage.gateway(), second]) await stage.ready(owner);
    load.start();
    await load.allTold();
    await second.stop();
    stage.faultEnded();
  },
};

/** Four gateways join and three leave while the platform is slow, by SIGTERM or by SIGKILL, without waiting for each other. */
const rebalanceStorm: Scenario = {
  name: 'rebalance-storm',
  fault: 'rebalance storm',
  async run(stage, load) {
    await stage.fault({ latencyMsUniform: [300, 1_000] });
    const gateways = [await stage.gateway()];
    load.start();
    for (let joins = 0; joins < 3; joins++) {
      gateways.push(await stage.gateway());
      await delay(stage.random.between(1_200, 2_500));
      const leaving = gateways.shift()!;
      if (stage.random.chance(0.5)) await stage.kill(leaving);
      else await leaving.stop();
    }
    stage.faultEnded();
    await stage.readyGateway();
  },
};

export const serviceScenarios: readonly Scenario[] = [
  ...[...killed, ...stopped, twoOwners, rebalanceStorm, ...ingestKilled, ...clocks],
];
