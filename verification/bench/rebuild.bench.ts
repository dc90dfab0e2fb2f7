import { TOPICS, topicName } from '@tranche/contracts';
import { topicOffsets } from '@tranche/kafka';
import { OrderIndexKeys, type JournalRecord } from '@tranche/order-journal';
import { waitFor } from '@tranche/testing';
import type { Bench, Context } from './bench.js';
import { intent, outcome, writeOrders } from './journal-records.js';
import { cpuMsOf } from './rate.js';
import { row, type Row } from './report.js';
import type { RunningService } from './processes.js';
import { infoOf, Stage, startGateway, withRedis } from './stage.js';
import { Visits } from './visits.js';

const RECORDS_PER_ORDER = 4;
const TIME_BOX_MS = 240_000;

/**
 * Measures how fast the journal becomes an index: the first time, with events published, and again after Redis lost it. Bytes per order
 * are the base of docs/operate/scaling.md.
 */
export const rebuild: Bench = {
  name: 'rebuild',
  about:
    'journal records/s after Redis lost the index, and bytes per order in Redis and in the journal (--commands: records)',
  parts: [
    { name: 'redis-index', run: lostAndRebuilt },
    { name: 'redis-joins', run: rebuiltWhileMembersJoin },
  ],
};

interface Written {
  stage: Stage;
  gateway: RunningService;
  written: { bytes: number };
  /** By partition, the offset behind the last record. */
  ends: Map<number, bigint>;
  records: number;
  orders: number;
  emptyBytes: number;
}

/** Writes the records, waits until a gateway has them in its index, and measures. */
async function withIndex(context: Context, measure: (parts: Written) => Promise<Row[]>): Promise<Row[]> {
  const orders = Math.ceil((context.commands ?? 200_000) / RECORDS_PER_ORDER);
  const stage = await Stage.open(context);
  const platform = { url: 'http://127.0.0.1:9' };
  const gateway = await startGateway({ ...context, stage, platform, inFlight: 256 });
  try {
    const emptyBytes = await usedMemory(context.redisUrl);
    const written = await writeOrders(stage, orders, orderOf);
    const offsets = await topicOffsets(stage.client, topicName(stage.prefix, TOPICS.journal));
    const ends = new Map([...offsets].map(([partition, { high }]) => [partition, high]));
    const records = [...ends.values()].reduce((sum, end) => sum + Number(end), 0);
    await indexed(context, stage, ends);
    return await measure({ stage, gateway, written, ends, records, orders, emptyBytes });
  } finally {
    await gateway.stop();
    await stage.remove();
  }
}

/** Seconds until the index that Redis lost is whole again. */
async function rebuiltSeconds(context: Context, { stage, ends }: Written): Promise<{ keys: number; seconds: number }> {
  const flushedMs = performance.now();
  const keys = await stage.removeKeys();
  await indexed(context, stage, ends);
  return { keys, seconds: (performance.now() - flushedMs) / 1000 };
}

function lostAndRebuilt(context: Context): Promise<Row[]> {
  return withIndex(context, async (parts) => {
    const { gateway, records, orders, written, emptyBytes } = parts;
    const redisBytes = (await usedMemory(context.redisUrl)) - emptyBytes;
    const cpuMs = cpuMsOf(gateway.pid);
    const { keys, seconds } = await rebuiltSeconds(context, parts);
    const details = { records, keys, seconds, cpuMsPer1000: (cpuMsOf(gateway.pid) - cpuMs) / (records / 1000) };
    return [
      row({
        ...{ name: 'redis-index-rebuild', unit: 'records/s', ours: records / seconds },
        ...{ target: { atLeast: 80_000 }, details },
      }),
      row({ name: 'redis-index-order', unit: 'bytes of Redis per order', ours: redisBytes / orders }),
      row({ name: 'redis-index-journal', unit: 'bytes of journal per order', ours: written.bytes / orders }),
    ];
  });
}

/** A rebuild must not begin again at each join: it may take a fifth longer than the same rebuild without joins. */
function rebuiltWhileMembersJoin(context: Context): Promise<Row[]> {
  return withIndex(context, async (parts) => {
    const { records } = parts;
    const alone = await rebuiltSeconds(context, parts);
    const visits = new Visits(context.brokers, parts.stage);
    const joined = await rebuiltSeconds(context, parts).finally(() => visits.end());
    const { rebalances } = visits;
    const details = { records, secondsAlone: alone.seconds, secondsWithJoins: joined.seconds, rebalances };
    const ours = joined.seconds / alone.seconds;
    return [
      row({ name: 'redis-joins-time', unit: 'of the time without joins', ours, target: { atMost: 1.2 }, details }),
    ];
  });
}

/** An authorization and a capture, each with its outcome. */
function orderOf(n: number): JournalRecord[] {
  const authorization = intent(n);
  const { commandId, token } = intent(n);
  const capture = { ...authorization, operation: 'capture' as const, commandId, token, transactionId: `T-order-${n}` };
  return [authorization, outcome(authorization), capture, outcome(capture)];
}

async function usedMemory(url: string): Promise<number> {
  const [bytes] = await infoOf(url, 'memory', 'used_memory');
  return bytes!;
}

/** Resolves when the index's markers say that it holds every record before the ends. */
async function indexed({ redisUrl }: Context, stage: Stage, ends: Map<number, bigint>): Promise<void> {
  const keys = new OrderIndexKeys(stage.prefix);
  await withRedis(redisUrl, (redis) => {
    const isThere = async () => {
      const markers = [...ends].map(async ([partition, end]) => {
        const marker = await redis.hGet(keys.of(partition, 'orders'), 'marker');
        return end === 0n || BigInt(marker?.split(' ', 1)[0] ?? -1) >= end - 1n;
      });
      return (await Promise.all(markers)).every(Boolean);
    };
    return waitFor(isThere, { timeoutMs: TIME_BOX_MS, what: 'the index to be built' });
  });
}
