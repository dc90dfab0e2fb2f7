import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '@tranche/testing';
import type { KafkaCluster } from '../kafka-cluster.js';
import type { Scenario } from '../scenario.js';
import type { Stage } from '../stage.js';

const LOAD = { orders: 120, perSecond: 4 };
const CHANGES_WITHIN_MS = 180_000;
/** Longer than broker.session.timeout.ms (9 s), so that the frozen broker loses its partitions. */
const FROZEN_MS = 15_000;
const AWAY_MS = 8_000;

/** Faults of one of three brokers. */
export function brokerScenarios(cluster: KafkaCluster): readonly Scenario[] {
  const { small } = cluster;
  const scenario = (name: string, fault: string, act: (stage: Stage) => Promise<void>): Scenario => ({
    ...{ name, fault, load: LOAD },
    async run(stage, load) {
      const gateways = [await stage.gateway(), await stage.gateway()];
      for (const gateway of gateways) await stage.ready(gateway);
      load.start();
      await delay(stage.random.between(3_000, 6_000));
      await act(stage);
      stage.faultEnded();
      await cluster.allInSync();
    },
  });
  const killedAndStarted = async (stage: Stage, at: number) => {
    await cluster.killBroker(at);
    stage.kills++;
    await delay(AWAY_MS);
    await cluster.startBroker(at);
  };
  return [
    scenario('broker-killed', 'one of three brokers killed', (stage) =>
      killedAndStarted(stage, stage.random.below(cluster.size)),
    ),
    scenario('broker-frozen', 'one of three brokers frozen', async (stage) => {
      const at = stage.random.below(cluster.size);
      cluster.signal(at, 'SIGSTOP');
      await delay(FROZEN_MS);
      cluster.signal(at, 'SIGCONT');
    }),
    scenario('controller-changed', 'the active controller killed', async (stage) => {
      const before = cluster.controller();
      await killedAndStarted(stage, before);
      await waitFor(() => cluster.controller() !== before, {
        timeoutMs: CHANGES_WITHIN_MS,
        what: 'another active controller',
      });
    }),
    scenario('brokers-restarted', 'three brokers restarted, one after the other', async () => {
      for (let at = 0; at < cluster.size; at++) {
        await cluster.stopBroker(at);
        await cluster.startBroker(at);
        await cluster.allInSync();
      }
    }),
    ...(small === undefined
      ? []
      : [
          scenario('broker-disk-full', 'the disk of one of three brokers full', async () => {
            await cluster.fillDisk();
            await delay(AWAY_MS);
            await cluster.startBroker(small);
          }),
        ]),
  ];
}
