import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '@tranche/testing';
import type { Load } from '../load.js';
import type { Scenario } from '../scenario.js';
import type { Stage } from '../stage.js';
import { allInSync, type ClusterInfrastructure } from './cluster-infrastructure.js';

const LOAD = { orders: 120, perSecond: 4 };
const READY_MS = 180_000;
/** Longer than broker.session.timeout.ms (9 s), so that the frozen broker loses its partitions. */
const FROZEN_MS = 15_000;
const AWAY_MS = 8_000;

export function brokerScenarios({ cluster, brokers }: ClusterInfrastructure): readonly Scenario[] {
  const scenario = (name: string, fault: string, act: (stage: Stage) => Promise<void>): Scenario => ({
    ...{ name, fault, load: LOAD },
    async run(stage: Stage, load: Load) {
      const gateways = [await stage.gateway(), await stage.gateway()];
      for (const gateway of gateways) await stage.ready(gateway, READY_MS);
      load.start();
      await delay(stage.random.between(3_000, 6_000));
      await act(stage);
      stage.faultEnded();
      await allInSync(brokers);
    },
  });
  const killedAndStarted = async (at: number) => {
    await cluster.killBroker(at);
    await delay(AWAY_MS);
    await cluster.startBroker(at);
  };
  const all = [
    scenario('broker-killed', 'one of three brokers killed', async (stage) => {
      await killedAndStarted(stage.random.below(cluster.size));
      stage.kills++;
    }),
    scenario('broker-frozen', 'one of three brokers frozen', async (stage) => {
      const at = stage.random.below(cluster.size);
      cluster.freeze(at);
      await delay(FROZEN_MS);
      cluster.goOn(at);
    }),
    scenario('controller-changed', 'the active controller killed', async (stage) => {
      const before = cluster.controller();
      await killedAndStarted(before);
      stage.kills++;
      await waitFor(() => cluster.controller() !== before, { timeoutMs: READY_MS, what: 'another active controller' });
    }),
    scenario('brokers-restarted', 'three brokers restarted, one after the other', async () => {
      for (let at = 0; at < cluster.size; at++) {
        await cluster.stopBroker(at);
        await cluster.startBroker(at);
        await allInSync(brokers);
      }
    }),
  ];
  const { withSmallDisk } = cluster;
  if (withSmallDisk === undefined) return all;
  const diskFull = scenario('broker-disk-full', 'the disk of one of three brokers full', async () => {
    await cluster.fillDisk();
    await delay(AWAY_MS);
    await cluster.startBroker(withSmallDisk);
  });
  return [...all, diskFull];
}
