import { performance } from 'node:perf_hooks';
import { createClient } from 'redis';
import { TOPICS, topicName } from '@tranche/contracts';
import type { JournalRecord } from '@tranche/order-journal';
import type { Bench, Context } from '../bench.js';
import { cpuMsOf, peakRssOf, rssOf } from '../cpu.js';
import { intent, outcome, writeOrders } from '../journal/records.js';
import { withAdmin } from '../peers/admin.js';
import { row, type Row } from '../report.js';
import { Stage, startGateway } from '../stage.js';

const ORDERS = 100_000;
/** Building the index of a million orders takes minutes. */
const READY_MS = 3_600_000;
const MIB = 1024 * 1024;

/**
 * Measures what authorized and captured orders need in Redis, in the journal and in a gateway, and how long it takes to build their index.
 */
export const orders: Bench = {
  name: 'orders',
  about:
    'bytes per order in Redis and in the journal, seconds to rebuild the index, RSS of a gateway (--commands: orders)',
  parts: [{ name: 'captured', run: captured }],
};

async function captured(context: Context): Promise<Row[]> {
  const count = context.commands ?? ORDERS;
  const stage = await Stage.open(context);
  try {
    const written = await writeOrders(stage, count, orderOf);
    await asIfProjected(context, stage);
    const before = await usedMemory(context.redisUrl);
    const begunMs = performance.now();
    const gateway = await startGateway({
      ...context,
      stage,
      platform: { url: 'http://127.0.0.1:9' },
      inFlight: 256,
      readyTimeoutMs: READY_MS,
    });
    const seconds = (performance.now() - begunMs) / 1000;
    const perOrder = ((await usedMemory(context.redisUrl)) - before) / count;
    const memory = { rssMib: rssOf(gateway.pid) / MIB, peakRssMib: peakRssOf(gateway.pid) / MIB };
    const cpuSeconds = cpuMsOf(gateway.pid) / 1000;
    await gateway.stop();
    const details = { orders: count, records: written.records };
    return [
      row({ name: 'captured-redis', unit: 'bytes of Redis per order', ours: perOrder, details }),
      row({ name: 'captured-journal', unit: 'bytes of journal per order', ours: written.bytes / count, details }),
      row({
        name: 'captured-rebuild',
        unit: 'seconds from the start to ready',
        ours: seconds,
        details: { ...details, recordsPerSecond: written.records / seconds, cpuSeconds, ...memory },
      }),
    ];
  } finally {
    await stage.remove();
  }
}

/** Each order is an authorization and a capture, each with its outcome. */
function orderOf(n: number): JournalRecord[] {
  const authorization = intent(n);
  const { commandId, token } = intent(n);
  const capture = { ...authorization, operation: 'capture' as const, commandId, token, transactionId: `T-order-${n}` };
  return [authorization, outcome(authorization), capture, outcome(capture)];
}

/**
 * Commits the end of the journal for the gateways' group, as after a normal day: only the index is missing, and no event is published
 * again.
 */
async function asIfProjected({ brokers }: Context, { prefix }: Stage): Promise<void> {
  const topic = topicName(prefix, TOPICS.journal);
  await withAdmin(brokers, async (admin) => {
    const ends = (await admin.fetchTopicOffsets(topic)).map(({ partition, high }) => ({ partition, offset: high }));
    await admin.setOffsets({ groupId: `${prefix}payment-gateway`, topic, partitions: ends });
  });
}

async function usedMemory(url: string): Promise<number> {
  const redis = await createClient({ url }).connect();
  try {
    return Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
  } finally {
    await redis.close();
  }
}
