import { orderKey, TOPICS } from '@tranche/contracts';
import { waitFor } from '@tranche/testing';
import { median, percentile } from '../figures.js';
import type { Context } from './bench.js';
import { authorization } from './commands.js';
import { inArena, inTurns, javaVariables, PARALLEL_CONSUMERS, type Arena } from './contestants.js';
import { startJavaPeer, type Running } from './processes.js';
import { row, type Row, type Target } from './report.js';
import { forget, Stage, startGateway, WARM_UP } from './stage.js';

const PER_SECOND = 100;
const IN_FLIGHT = 256;
const WARM_UP_MS = 10_000;
const MEASURED_MS = 30_000;
const START_MS = 120_000;
/** Every command must have its event within this time after the last command: a missing latency would be the longest one. */
const LAST_EVENT_MS = 60_000;

/** When a command was due, when Kafka acknowledged it, and when its event was first read. */
interface Times {
  dueMs: number;
  ackedMs: number;
  readMs: number;
}

/**
 * Measures at a pace that leaves the machine idle. `own-latency` is from Kafka's acknowledgement of a command to its event at a consumer.
 * `open-loop` is from the time at which the command was due, whether the one before was late or not, so no delay hides later ones.
 */
export async function ownLatency(context: Context): Promise<Row[]> {
  return inArena(context, 'simulator', '0', async (arena) => {
    const startOurs = (stage: Stage) =>
      startGateway({ ...context, stage, platform: arena.platform, inFlight: IN_FLIGHT });
    const startJava = (name: string) => (stage: Stage) =>
      Promise.resolve(startJavaPeer(name, javaVariables(name, context, stage, arena.platform, IN_FLIGHT)));
    const given = await inTurns(context, {
      ours: () => paced(arena, 'ours', startOurs),
      ...Object.fromEntries(PARALLEL_CONSUMERS.map((name) => [name, () => paced(arena, name, startJava(name))])),
    });
    const medianOf = (turns: Times[][], time: (times: Times) => number, share: number) =>
      median(turns.map((times) => percentile(times.map(time), share)));
    const latency = (name: string, share: number, target?: Target) => {
      const openLoop = Object.entries(given).map(([one, turns]) => [one, medianOf(turns, fromDue, share)] as const);
      const { ours = Number.NaN, ...peers } = Object.fromEntries(openLoop);
      return [
        row({ name: `own-latency-${name}`, unit: 'ms', ours: medianOf(given.ours!, fromAck, share), target }),
        row({ name: `open-loop-${name}`, unit: 'ms', ours, peers }),
      ];
    };
    return [...latency('p50', 0.5, { atMost: 4.5 }), ...latency('p90', 0.9), ...latency('p99', 0.99, { atMost: 15 })];
  });
}

const fromAck = ({ ackedMs, readMs }: Times) => Math.max(0, readMs - ackedMs); // an event may overtake the acknowledgement
const fromDue = ({ dueMs, readMs }: Times) => readMs - dueMs;

/** Returns the times of the commands behind the warm-up. */
async function paced({ context, platform }: Arena, name: string, start: (stage: Stage) => Promise<Running>) {
  await forget(platform);
  const total = context.commands ?? ((WARM_UP_MS + MEASURED_MS) / 1000) * PER_SECOND;
  await using stage = await Stage.open(context);
  /** By the order's key: an event that is published again is not measured again. */
  const readMs = new Map<string, number>();
  const times: Omit<Times, 'readMs'>[] = [];
  await using reading = await stage.follow(TOPICS.events, (records) => {
    const nowMs = performance.now();
    for (const { key } of records) if (key !== null && !readMs.has(key)) readMs.set(key, nowMs);
  });
  await using handler = await start(stage);
  await stage.fill(total, total + WARM_UP);
  await waitFor(() => readMs.size >= WARM_UP, { timeoutMs: START_MS, what: `${name} to be warm` });
  context.log(`latency of ${name}: ${PER_SECOND} commands/s for ${total / PER_SECOND} s`);
  await stage.pace(0, total, PER_SECOND, (n, dueMs, appended) => {
    times[n] = { dueMs, ackedMs: Infinity };
    void appended.then(() => (times[n]!.ackedMs = performance.now()));
  });
  const isRead = () => readMs.size >= WARM_UP + total;
  await waitFor(isRead, { timeoutMs: LAST_EVENT_MS, what: `an event of each command from ${name}` });
  const warmUp = Math.min((WARM_UP_MS / 1000) * PER_SECOND, Math.floor(total / 4));
  return times.map((time, n) => ({ ...time, readMs: readMs.get(keyOf(n))! })).slice(warmUp);
}

function keyOf(n: number): string {
  const { merchant, orderId } = authorization(n);
  return orderKey(merchant, orderId);
}
