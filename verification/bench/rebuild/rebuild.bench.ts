import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from 'redis';
import { TOPICS, topicName } from '@tranche/contracts';
import { topicOffsets } from '@tranche/kafka';
import { OrderIndexKeys } from '@tranche/order-journal';
import type { Bench, Context } from '../bench.js';
import { cpuMsOf } from '../cpu.js';
import { intent, outcome, writeOrders } from '../journal/records.js';
import { row, type Row } from '../report.js';
import { Stage, startGateway } from '../stage.js';

const TIME_BOX_MS = 240_000;
const LOST = /index is lost/;

/** Measures how fast the journal becomes an index: the first time, with events published, and again after Redis lost it. */
export const rebuild: Bench = {
  name: 'rebuild',
  about: 'journal records/s: projected and published the first time, and rebuilt after Redis lost the index',
  parts: [{ name: 'redis-index', run: lostAndRebuilt }],
};

async function lostAndRebuilt(context: Context): Promise<Row[]> {
  const orders = (context.commands ?? 200_000) / 2;
  const stage = await Stage.open(context);
  let lostMs: number | undefined;
  const gateway = await startGateway({
    ...context,
    stage,
    platform: { url: 'http://127.0.0.1:9' },
    inFlight: 256,
    onLine: (line) => {
      if (LOST.test(line)) lostMs ??= performance.now();
    },
  });
  try {
    await writeOrders(stage, orders, (n) => {
      const record = intent(n);
      return [record, outcome(record)];
    });
    const offsets = await topicOffsets(stage.client, topicName(stage.prefix, TOPICS.journal));
    const ends = new Map([...offsets].map(([partition, { high }]) => [partition, high]));
    const records = [...ends.values()].reduce((sum, end) => sum + Number(end), 0);
    const begunMs = performance.now();
    await indexed(context, stage, ends);
    context.log(
      `projected ${records} records, the last of them ${((performance.now() - begunMs) / 1000).toFixed(1)} s after they were written`,
    );
    const cpuMs = cpuMsOf(gateway.pid);
    const flushedMs = performance.now();
    const keys = await stage.flushIndex();
    await indexed(context, stage, ends);
    const endMs = performance.now();
    const seconds = (endMs - (lostMs ?? flushedMs)) / 1000;
    const details = {
      records,
      keys,
      seconds,
      fromTheFlushOn: (endMs - flushedMs) / 1000,
      cpuMsPer1000: (cpuMsOf(gateway.pid) - cpuMs) / (records / 1000),
    };
    return [
      row({
        name: 'redis-index-rebuild',
        unit: 'records/s',
        ours: records / seconds,
        target: { atLeast: 50_000 },
        details,
      }),
    ];
  } finally {
    await gateway.stop();
    await stage.remove();
  }
}

/** Resolves when the index's markers say that it holds every record before the ends. */
async function indexed({ redisUrl }: Context, stage: Stage, ends: Map<number, bigint>): Promise<void> {
  const redis = await createClient({ url: redisUrl }).connect();
  const keys = new OrderIndexKeys(stage.prefix);
  const deadline = performance.now() + TIME_BOX_MS;
  const isThere = async () => {
    const markers = await Promise.all(
      [...ends.keys()].map((partition) => redis.hGet(keys.of(partition, 'orders'), 'marker')),
    );
    return [...ends.values()].every(
      (end, index) => end === 0n || BigInt(markers[index]?.split(' ', 1)[0] ?? -1) >= end - 1n,
    );
  };
  try {
    while (!(await isThere())) {
      if (performance.now() > deadline) throw new Error('The index was not built in time');
      await delay(20);
    }
  } finally {
    await redis.close();
  }
}
