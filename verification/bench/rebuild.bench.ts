import { TOPICS, topicName } from '@tranche/contracts';
import { topicOffsets } from '@tranche/kafka';
import { OrderIndexKeys, type JournalRecord } from '@tranche/order-journal';
import { waitFor } from '@tranche/testing';
import type { Bench, Context } from './bench.js';
import { intent, outcome, writeOrders } from './journal-records.js';
import { row, type Row } from './report.js';
import { infoOf, Stage, startGateway, withRedis } from './stage.js';
import { visit } from './visits.js';

const RECORDS_PER_ORDER = 4;
const TIME_BOX_MS = 240_000;

/**
 * Measures how fast the journal becomes an index: the first time, with events published, and again after Redis lost it. Bytes per order
 * are the base of docs/operate/scaling.md.
 */
export const rebuild: Bench = {
  name: 'rebuild',
  parts: [
    { name: 'redis-index', run: lostAndRebuilt },
    { name: 'redis-joins', run: rebuiltWhileMembersJoin },
  ],
};

interface Written {
  stage: Stage;
  /** By partition, the offset behind the last record. */
  ends: Map<number, bigint>;
  records: number;
  /** Bytes of one order. */
  journalBytes: number;
  redisBytes: number;
}

/** Writes the records, waits until a gateway has them in its index, and measures. */
async function withIndex(context: Context, measure: (written: Written) => Promise<Row[]>): Promise<Row[]> {
  const orders = Math.ceil((context.commands ?? 200_000) / RECORDS_PER_ORDER);
  await using stage = await Stage.open(context);
  await using gateway = await startGateway({
    ...context,
    stage,
    platform: { url: 'http://127.0.0.1:9' },
    inFlight: 256,
  });
  const usedMemory = () => infoOf(context.redisUrl, 'used_memory');
  const emptyBytes = await usedMemory();
  const { bytes } = await writeOrders(stage, orders, orderOf);
  const offsets = await topicOffsets(stage.client, topicName(stage.prefix, TOPICS.journal));
  const ends = new Map([...offsets].map(([partition, { high }]) => [partition, high]));
  const records = [...ends.values()].reduce((sum, end) => sum + Number(end), 0);
  await indexed(context, stage, ends);
  const redisBytes = ((await usedMemory()) - emptyBytes) / orders;
  return await measure({ stage, ends, records, journalBytes: bytes / orders, redisBytes });
}

/** Seconds until the index that Redis lost is whole again. */
async function rebuiltSeconds(context: Context, { stage, ends }: Written): Promise<number> {
  const flushedMs = performance.now();
  await stage.removeKeys();
  await indexed(context, stage, ends);
  return (performance.now() - flushedMs) / 1000;
}

function lostAndRebuilt(context: Context): Promise<Row[]> {
  return withIndex(context, async (written) => {
    const { records, journalBytes, redisBytes } = written;
    const ours = records / (await rebuiltSeconds(context, written));
    return [
      row({ name: 'redis-index-rebuild', unit: 'records/s', ours, target: { atLeast: 80_000 }, details: { records } }),
      row({ name: 'redis-index-order', unit: 'bytes of Redis per order', ours: redisBytes }),
      row({ name: 'redis-index-journal', unit: 'bytes of journal per order', ours: journalBytes }),
    ];
  });
}

/** A rebuild must not begin again at each join: it may take a fifth longer than the same rebuild without joins. */
function rebuiltWhileMembersJoin(context: Context): Promise<Row[]> {
  return withIndex(context, async (written) => {
    const { records, stage } = written;
    const secondsAlone = await rebuiltSeconds(context, written);
    const end = new AbortController();
    const visits = visit(context.brokers, stage.prefix, end.signal);
    const secondsWithJoins = await rebuiltSeconds(context, written).finally(() => end.abort());
    const details = { records, secondsAlone, secondsWithJoins, rebalances: await visits };
    const ours = secondsWithJoins / secondsAlone;
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
