import { TOPICS } from '@tranche/contracts';
import type { Context } from '../bench.js';
import { startChild } from '../children.js';
import { ENVIRONMENT_ID } from '../commands.js';
import { rateOf, type Rate } from '../rate.js';
import { forget, signingMerchantsFile, Stage, startGateway, type Platform, type PlatformKind } from '../stage.js';

/** Our gateway and every peer of a run call the same platform process. */
export interface Arena {
  context: Context;
  platform: Platform;
  kind: PlatformKind;
}

const OURS_TIME_BOX_MS = 120_000;

export interface OursRun {
  inFlight: number;
  count: number;
  /** Every command is signed, and the gateway requires signatures. */
  isSigned?: boolean;
  env?: Record<string, string>;
}

/** A command counts as done when its event is published: its intent and its outcome are in the journal by then. */
export async function ours(
  { context, platform, kind }: Arena,
  { inFlight, count, isSigned = false, env = {} }: OursRun,
): Promise<Rate> {
  const stage = await Stage.open(context);
  try {
    await stage.fill(0, count, isSigned);
    await forget(platform, kind);
    context.log(`ours: ${count} commands, ${inFlight} in flight`);
    const signing: Record<string, string> = isSigned ? { MERCHANTS_FILE: signingMerchantsFile(), ENVIRONMENT_ID } : {};
    const gateway = await startGateway({ ...context, stage, platform, inFlight, env: { ...env, ...signing } });
    const rate = await rateOf({
      done: () => {
        gateway.assertRunning();
        return stage.records(TOPICS.events);
      },
      total: count,
      timeBoxMs: OURS_TIME_BOX_MS,
      everyMs: 400,
      processes: { gateway: gateway.pid, platform: platform.pid },
    });
    const journaled = await stage.records(TOPICS.journal);
    await gateway.stop();
    if (journaled < 2 * (await stage.records(TOPICS.events)))
      throw new Error(`Only ${journaled} journal records were written`);
    context.log(
      `ours: ${rate.perSecond.toFixed(0)}/s, gateway ${(rate.cpuMs.gateway ?? 0).toFixed(2)} ms of processor time each`,
    );
    return rate;
  } finally {
    await stage.remove();
  }
}

export async function bareLoop(
  { context, platform, kind }: Arena,
  { inFlight, count }: { inFlight: number; count: number },
): Promise<Rate> {
  await forget(platform, kind);
  const env = { PAYMENT_URL: platform.url, IN_FLIGHT: String(inFlight), COUNT: String(count) };
  return peer({ context, platform, name: 'bare-loop', env, total: count, timeBoxMs: OURS_TIME_BOX_MS });
}

export async function nestServer(
  { context, platform, kind }: Arena,
  { count, timeBoxMs }: { count: number; timeBoxMs: number },
): Promise<Rate> {
  const stage = await Stage.open(context);
  try {
    await stage.fill(0, count);
    await forget(platform, kind);
    const env = {
      KAFKA_BROKERS: context.brokers,
      TOPIC: stage.commandTopic,
      GROUP_ID: `${stage.prefix}nest`,
      PAYMENT_URL: platform.url,
    };
    return await peer({ context, platform, name: 'nest', env, total: count, timeBoxMs });
  } finally {
    await stage.remove();
  }
}

interface PeerRun {
  context: Context;
  platform: Platform;
  name: string;
  env: Record<string, string>;
  total: number;
  timeBoxMs: number;
}

async function peer({ context, platform, name, env, total, timeBoxMs }: PeerRun): Promise<Rate> {
  let done = 0;
  const onLine = (line: string) => {
    if (line.startsWith('{"done":')) done = (JSON.parse(line) as { done: number }).done;
  };
  const child = await startChild({ main: ['verification/dist/bench/peers/main.js', name], env, onLine });
  const doneSoFar = () => {
    child.assertRunning();
    return done;
  };
  try {
    const rate = await rateOf({
      done: doneSoFar,
      total,
      timeBoxMs,
      processes: { peer: child.pid, platform: platform.pid },
    });
    context.log(`${name}: ${rate.perSecond.toFixed(1)}/s`);
    return rate;
  } finally {
    await child.stop();
  }
}

/** Returns the processor times of a rate as details of a row, in milliseconds per command. */
export function cpuDetails({ cpuMs, seconds }: Rate, name: string): Record<string, number> {
  return {
    [`${name}CpuMs`]: cpuMs[name] ?? 0,
    platformCpuMs: cpuMs.platform ?? 0,
    restCpuMs: cpuMs.rest ?? 0,
    seconds,
  };
}
