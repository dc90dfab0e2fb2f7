import { setTimeout as delay } from 'node:timers/promises';
import type { RunningApp } from '@tranche/testing';
import { settled, type Scenario } from '../scenario.js';
import type { Stage } from '../stage.js';

const INSTANCES = 2;
/** Both releases write these rules until the older one is gone for good (CONTRIBUTING, a rule of the fold). */
const OLDEST_RULES = { RULES_VERSION: '1' };
const BETWEEN_MS = 1_500;

/** Two releases run in one installation, as in a roll-out and a roll-back. `--from COMMIT` names the older one. */
export const releaseScenarios: readonly Scenario[] = [
  {
    name: 'rolling-upgrade',
    fault: 'rolling upgrade and rollback',
    needs: ['release'],
    load: { orders: 80, perSecond: 2 },
    /** Old → new → old → new, one instance at a time. The index is lost while both run; at the end the new rules are written. */
    async run(stage, load) {
      const { release } = stage.infrastructure;
      const older = () => stage.gateway({ release, env: OLDEST_RULES });
      const newer = () => stage.gateway({ env: OLDEST_RULES });
      await stage.ingest?.stop();
      await stage.startIngest({ release });
      let gateways = await startAll(stage, older);
      load.start();
      gateways = await replaced(stage, gateways, newer, { flushHalfWay: true });
      await newIngest(stage);
      gateways = await replaced(stage, gateways, older, { flushHalfWay: true, isRollback: true });
      gateways = await replaced(stage, gateways, newer);
      await replaced(stage, gateways, () => stage.gateway(), { flushHalfWay: true });
      stage.faultEnded();
      await settled(load);
    },
  },
];

async function startAll(stage: Stage, start: () => Promise<RunningApp>): Promise<RunningApp[]> {
  const gateways = await Promise.all(Array.from({ length: INSTANCES }, start));
  await Promise.all(gateways.map((gateway) => stage.ready(gateway)));
  return gateways;
}

/**
 * Replaces one instance after the other: the next one is ready before an old one stops. An older release may build no index of partitions
 * that newer instances hold, so in a rollback all are awaited together.
 */
async function replaced(
  stage: Stage,
  before: readonly RunningApp[],
  start: () => Promise<RunningApp>,
  { flushHalfWay = false, isRollback = false } = {},
): Promise<RunningApp[]> {
  const after: RunningApp[] = [];
  for (const [at, gateway] of before.entries()) {
    const next = await start();
    if (!isRollback) await stage.ready(next);
    await gateway.stop();
    after.push(next);
    await delay(BETWEEN_MS);
    if (flushHalfWay && at === 0) await stage.flushRedis();
  }
  await Promise.all(after.map((gateway) => stage.ready(gateway)));
  return after;
}

async function newIngest(stage: Stage): Promise<void> {
  await stage.ingest?.stop();
  await stage.startIngest();
}
