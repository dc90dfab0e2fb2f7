import { COMMAND_TOPICS, METHODS, TOPICS, topicName } from '@tranche/contracts';
import { median } from '../figures.js';
import type { Context } from './bench.js';
import { MERCHANT } from './commands.js';
import { javaPeers, startJavaPeer, startScript, type Running } from './processes.js';
import { rateOf, type Rate } from './rate.js';
import { forget, Stage, startGateways, startPlatform, type GatewayOptions, type PlatformKind } from './stage.js';

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
  await using platform = await startPlatform(kind, latencyMs);
  return await use({ context, platform });
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
  await using stage = await Stage.open(context);
  await forget(platform);
  context.log(`ours: ${count} commands, ${instances} × ${inFlight} in flight`);
  // Gateways that share the partitions must have them before the commands come.
  if (instances === 1) await stage.fill(0, count, isSigned);
  const each = { ...context, stage, platform, inFlight, env };
  await using gateways = await startGateways(Array<GatewayOptions>(instances).fill(each));
  if (instances > 1) await stage.fill(0, count, isSigned);
  const rate = await eventRate(stage, gateways, platform, count);
  const events = await stage.records(TOPICS.events);
  const journaled = await stage.records(TOPICS.journal);
  if (journaled < 2 * events) throw new Error(`Only ${journaled} journal records were written`);
  return told(context, 'ours', rate);
}

/** Reads the same commands from the same broker and publishes an event for each, as ours does. */
export async function javaPeer({ context, platform }: Arena, name: string, { inFlight, count }: Run): Promise<Rate> {
  await using stage = await Stage.open(context);
  await forget(platform);
  await stage.fill(0, count);
  await using peer = startJavaPeer(name, javaVariables(name, context, stage, platform, inFlight));
  return told(context, name, await eventRate(stage, peer, platform, count));
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

function eventRate(stage: Stage, handler: Running, platform: Running, total: number): Promise<Rate> {
  const done = () => {
    handler.assertRunning();
    return stage.records(TOPICS.events);
  };
  const processes = { own: handler.pid, platform: platform.pid };
  return rateOf({ done, total, timeBoxMs: TIME_BOX_MS, everyMs: 400, processes });
}

export function bareLoop(arena: Arena, { inFlight, count }: Run): Promise<Rate> {
  return peer(arena, 'bare-loop', { IN_FLIGHT: String(inFlight), COUNT: String(count) }, count, TIME_BOX_MS);
}

export async function nestServer(arena: Arena, count: number): Promise<Rate> {
  await using stage = await Stage.open(arena.context);
  await stage.fill(0, count);
  const kafka = { KAFKA_BROKERS: arena.context.brokers, TOPIC: stage.commandTopic, GROUP_ID: `${stage.prefix}nest` };
  return await peer(arena, 'nest', kafka, count, NEST_TIME_BOX_MS);
}

async function peer(
  { context, platform }: Arena,
  name: string,
  env: Record<string, string>,
  total: number,
  timeBoxMs: number,
): Promise<Rate> {
  await forget(platform);
  await using child = await startScript({ main: ['peers/main.js', name], env: { ...env, PAYMENT_URL: platform.url } });
  const done = () => {
    child.assertRunning();
    return child.report.done ?? 0;
  };
  const processes = { own: child.pid, platform: platform.pid };
  return told(context, name, await rateOf({ done, total, timeBoxMs, processes }));
}

function told(context: Context, name: string, rate: Rate): Rate {
  const cpuMs = (rate.cpuMs.own ?? 0).toFixed(2);
  context.log(`${name}: ${rate.perSecond.toFixed(1)}/s, ${cpuMs} ms of its processor time each`);
  return rate;
}
