import { COMMAND_TOPICS, METHODS, TOPICS, topicName } from '@tranche/contracts';
import { median } from '../figures.js';
import type { Context } from './bench.js';
import { MERCHANT } from './commands.js';
import { javaPeers, startJavaPeer, startScript, type Running } from './processes.js';
import { rateOf, type Rate } from './rate.js';
import { forget, Stage, startGateway, startPlatform, type PlatformKind } from './stage.js';

const TIME_BOX_MS = 120_000;
const NEST_TIME_BOX_MS = 60_000;
const USUAL_TURNS = 3;

export const VERTX = 'parallel-consumer-vertx';
/** Java peers by the name that `Peer.java` knows; none where they could not be built. */
export const PARALLEL_CONSUMERS = javaPeers === undefined ? [] : [VERTX, 'parallel-consumer'];
export const SPRING_KAFKA = 'spring-kafka';

/** Our gateways and every peer of a run call the same platform process. */
export interface Arena {
  context: Context;
  platform: Running;
}

export async function inArena<T>(
  context: Context,
  kind: PlatformKind,
  latencyMs: string,
  use: (arena: Arena) => Promise<T>,
): Promise<T> {
  const platform = await startPlatform(kind, latencyMs);
  try {
    return await use({ context, platform });
  } finally {
    await platform.stop();
  }
}

/** Returns what each gave in its turns. Which one is first changes from turn to turn, because what runs later finds a warmer machine. */
export async function inTurns<T>(context: Context, contestants: Record<string, () => Promise<T>>) {
  const names = Object.keys(contestants);
  const given: Record<string, T[]> = Object.fromEntries(names.map((name) => [name, []]));
  for (let turn = 0; turn < (context.turns ?? USUAL_TURNS); turn++)
    for (const at of names.keys()) {
      const name = names[(turn + at) % names.length]!;
      given[name]!.push(await contestants[name]!());
    }
  return given;
}

/** Medians of several rates; `cpuMs` is that of the contestant's own process. */
export interface Standing {
  perSecond: number;
  cpuMs: number;
  platformCpuMs: number;
  restCpuMs: number;
  seconds: number;
}

export async function standings(context: Context, contestants: Record<string, () => Promise<Rate>>) {
  const given = Object.entries(await inTurns(context, contestants));
  const standing = (rates: Rate[]): Standing => {
    const of = (figure: (rate: Rate) => number | undefined) => median(rates.map((rate) => figure(rate) ?? 0));
    const [perSecond, seconds] = [of((rate) => rate.perSecond), of((rate) => rate.seconds)];
    const [cpuMs, platformCpuMs] = [of((rate) => rate.cpuMs.own), of((rate) => rate.cpuMs.platform)];
    return { perSecond, cpuMs, platformCpuMs, restCpuMs: of((rate) => rate.cpuMs.rest), seconds };
  };
  return Object.fromEntries(given.map(([name, rates]) => [name, standing(rates)]));
}

export interface Run {
  inFlight: number;
  count: number;
}

export interface OursRun extends Run {
  instances?: number;
  isSigned?: boolean;
  env?: Record<string, string>;
}

/** A command counts as done when its event is published: its intent and its outcome are in the journal by then. */
export async function ours({ context, platform }: Arena, run: OursRun): Promise<Rate> {
  const { inFlight, count, instances = 1, isSigned = false, env = {} } = run;
  const stage = await Stage.open(context);
  const gateways: Running[] = [];
  try {
    await forget(platform);
    context.log(`ours: ${count} commands, ${instances} × ${inFlight} in flight`);
    const start = async () => void gateways.push(await startGateway({ ...context, stage, platform, inFlight, env }));
    // Gateways that share the partitions must have them before the commands come.
    while (instances > 1 && gateways.length < instances) await start();
    await stage.fill(0, count, isSigned);
    if (gateways.length === 0) await start();
    const rate = await eventRate(stage, gateways, platform, count);
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    const journaled = await stage.records(TOPICS.journal);
    if (journaled < 2 * (await stage.records(TOPICS.events)))
      throw new Error(`Only ${journaled} journal records were written`);
    return told(context, 'ours', rate);
  } finally {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await stage.remove();
  }
}

/** Reads the same commands from the same broker and publishes an event for each, as ours does. */
export async function javaPeer({ context, platform }: Arena, name: string, { inFlight, count }: Run): Promise<Rate> {
  const stage = await Stage.open(context);
  let peer: Running | undefined;
  try {
    await forget(platform);
    await stage.fill(0, count);
    peer = startJavaPeer(name, javaVariables(name, context, stage, platform, inFlight));
    return told(context, name, await eventRate(stage, [peer], platform, count));
  } finally {
    await peer?.stop();
    await stage.remove();
  }
}

export function javaVariables(name: string, context: Context, stage: Stage, platform: Running, inFlight: number) {
  return {
    ...{ KAFKA_BROKERS: context.brokers, GROUP_ID: stage.prefix + name },
    ...{ TOPIC: stage.commandTopic, PARTITIONS: String(COMMAND_TOPICS['partner-a'].partitions) },
    ...{ EVENTS_TOPIC: topicName(stage.prefix, TOPICS.events), IN_FLIGHT: String(inFlight) },
    ...{ PAYMENT_URL: platform.url + METHODS.A.endpoint },
    ...{ IDENTIFIER: MERCHANT.identifier, ACCOUNT_KEY: MERCHANT.accountKey },
  };
}

function eventRate(stage: Stage, processes: readonly Running[], platform: Running, total: number): Promise<Rate> {
  const done = () => {
    for (const one of processes) one.assertRunning();
    return stage.records(TOPICS.events);
  };
  const watched = { own: processes[0]!.pid, platform: platform.pid };
  return rateOf({ done, total, timeBoxMs: TIME_BOX_MS, everyMs: 400, processes: watched });
}

export function bareLoop(arena: Arena, { inFlight, count }: Run): Promise<Rate> {
  return peer(arena, 'bare-loop', { IN_FLIGHT: String(inFlight), COUNT: String(count) }, count, TIME_BOX_MS);
}

export async function nestServer(arena: Arena, count: number): Promise<Rate> {
  const stage = await Stage.open(arena.context);
  try {
    await stage.fill(0, count);
    const kafka = { KAFKA_BROKERS: arena.context.brokers, TOPIC: stage.commandTopic, GROUP_ID: `${stage.prefix}nest` };
    return await peer(arena, 'nest', kafka, count, NEST_TIME_BOX_MS);
  } finally {
    await stage.remove();
  }
}

async function peer(
  { context, platform }: Arena,
  name: string,
  env: Record<string, string>,
  total: number,
  timeBoxMs: number,
): Promise<Rate> {
  await forget(platform);
  const report = { done: 0 };
  const child = await startScript({
    main: ['peers/main.js', name],
    env: { ...env, PAYMENT_URL: platform.url },
    onMessage: (message) => Object.assign(report, message),
  });
  const done = () => {
    child.assertRunning();
    return report.done;
  };
  try {
    const processes = { own: child.pid, platform: platform.pid };
    return told(context, name, await rateOf({ done, total, timeBoxMs, processes }));
  } finally {
    await child.stop();
  }
}

function told(context: Context, name: string, rate: Rate): Rate {
  const cpuMs = (rate.cpuMs.own ?? 0).toFixed(2);
  context.log(`${name}: ${rate.perSecond.toFixed(1)}/s, ${cpuMs} ms of its processor time each`);
  return rate;
}
