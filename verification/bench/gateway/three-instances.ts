import { TOPICS } from '@tranche/contracts';
import type { Context } from '../bench.js';
import { rateOf } from '../rate.js';
import { row, type Row } from '../report.js';
import { Stage, startGateway, startPlatform, type Platform } from '../stage.js';

/** Low enough that even three gateways wait for the platform and not for this machine's processors. */
const IN_FLIGHT = 64;

/** Compares one gateway and three on the same commands, bound by the platform's 100 to 500 ms. */
export async function threeInstances(context: Context): Promise<Row[]> {
  const platform = await startPlatform('simulator', '100-500');
  try {
    const one = await together(context, platform, 1);
    const three = await together(context, platform, 3);
    const peers = { one };
    return [
      row({ name: 'three-instances', unit: 'commands/s', ours: three, peers, target: { atLeast: 2.7, times: 'one' } }),
    ];
  } finally {
    await platform.stop();
  }
}

async function together(context: Context, platform: Platform, instances: number): Promise<number> {
  const total = context.commands ?? instances * IN_FLIGHT * 66;
  const stage = await Stage.open(context);
  const gateways: Awaited<ReturnType<typeof startGateway>>[] = [];
  try {
    for (let n = 0; n < instances; n++)
      gateways.push(await startGateway({ ...context, stage, platform, inFlight: IN_FLIGHT }));
    await stage.fill(0, total);
    const rate = await rateOf({ done: () => stage.records(TOPICS.events), total, timeBoxMs: 120_000, everyMs: 400 });
    context.log(`${instances} of ours, ${IN_FLIGHT} in flight each: ${rate.perSecond.toFixed(0)}/s`);
    return rate.perSecond;
  } finally {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await fetch(`${platform.url}/simulator/reset`, { method: 'POST' });
    await stage.remove();
  }
}
