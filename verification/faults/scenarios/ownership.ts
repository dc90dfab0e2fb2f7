import { setTimeout as delay } from 'node:timers/promises';
import { settled, type Scenario } from '../scenario.js';

const SLOW_PLATFORM = { latencyMsUniform: [300, 1_000] };

export const ownershipScenarios: readonly Scenario[] = [
  {
    name: 'two-owners',
    fault: 'two owners forced',
    weight: 2,
    /** Two consumer groups give every command to both gateways, so only the journal prevents a second call. */
    async run(stage, load) {
      const owners = [await stage.gateway(), await stage.gateway({ env: { SECOND_OWNER: '.second' } })];
      for (const owner of owners) await stage.ready(owner);
      load.start();
      await settled(load);
      await owners[1]?.stop();
      stage.faultEnded();
    },
  },
  {
    name: 'rebalance-storm',
    fault: 'rebalance storm',
    /** Four gateways join and three leave while the platform is slow, by SIGTERM or by SIGKILL, without waiting for each other. */
    async run(stage, load) {
      await stage.fault(SLOW_PLATFORM);
      let gateways = [await stage.gateway()];
      load.start();
      for (let joins = 0; joins < 3; joins++) {
        const joined = await stage.gateway();
        await delay(stage.random.between(1_200, 2_500));
        const [leaving, ...rest] = gateways;
        gateways = [...rest, joined];
        if (!leaving) continue;
        if (stage.random.chance(0.5)) await stage.kill(leaving);
        else await leaving.stop();
      }
      stage.faultEnded();
      await stage.readyGateway();
    },
  },
];
