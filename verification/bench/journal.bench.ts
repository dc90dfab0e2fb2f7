import { setTimeout as delay } from 'node:timers/promises';
import { orderKey, TOPICS, topicName } from '@tranche/contracts';
import { BatchingProducer, LogFollower, LogReader, topicOffsets } from '@tranche/kafka';
import {
  encodeRecord,
  journalPartition,
  NEWEST_RULES_VERSION,
  OwnedJournal,
  type OrderIndex,
} from '@tranche/order-journal';
import { silentLog } from '@tranche/runtime';
import type { Bench, Context } from './bench.js';
import { intent } from './journal-records.js';
import { loopsOf, type Throughput } from './loops.js';
import { startScript } from './processes.js';
import { row, type Row, type Target } from './report.js';
import { Stage } from './stage.js';

const RATE: Target = { atLeast: 10_000 };

/** Measures the durable intent before every call: appended with acks=all, read back through the tail and judged by the fold. */
export const journal: Bench = {
  name: 'journal',
  parts: [
    { name: 'concurrent-1', run: (context) => intents(context, 1, {}) },
    { name: 'concurrent-64', run: (context) => intents(context, 64, { rate: RATE, p50: { atMost: 5 } }) },
    { name: 'concurrent-256', run: (context) => intents(context, 256, { rate: RATE }) },
    { name: 'concurrent-512', run: (context) => intents(context, 512, { rate: RATE }) },
  ],
};

async function intents(context: Context, concurrent: number, targets: { p50?: Target; rate?: Target }): Promise<Row[]> {
  await using stage = await Stage.open(context);
  const own = await journalOf(stage, concurrent);
  context.log(`ours: ${own.perSecond.toFixed(0)}/s, p50 ${own.p50Ms.toFixed(2)} ms`);
  const single = await sends(context, stage, concurrent);
  context.log(`kafkajs: ${single.perSecond.toFixed(0)}/s`);
  const name = `concurrent-${concurrent}`;
  return [
    row({
      ...{ name: `${name}-rate`, unit: 'intents/s', ours: own.perSecond, target: targets.rate },
      peers: { 'single-sends': single.perSecond },
    }),
    row({
      ...{ name: `${name}-p50`, unit: 'ms', ours: own.p50Ms, target: targets.p50 },
      ...{ peers: { 'single-sends': single.p50Ms }, details: { p99: own.p99Ms, singleSendsP99: single.p99Ms } },
    }),
  ];
}

/** An index that holds nothing: every order is new, so Redis would have nothing to find. */
const NO_INDEX: OrderIndex = {
  read: () => Promise.resolve({ marker: -1n }),
  readTogether: () => Promise.resolve({ marker: -1n, orders: [] }),
  readAll: (_partition, _marker, keys) => Promise.resolve(keys.map(() => undefined)),
  openOrders: () => Promise.resolve({ marker: -1n, orderKeys: [] }),
  write: () => Promise.resolve(),
  redirectHtml: () => Promise.resolve(undefined),
  dropUnverified: () => Promise.resolve(),
  beginRebuild: () => Promise.resolve(undefined),
};

/** Wires the journal as the gateway does, with one owner of every partition, and without index and events. */
async function journalOf(stage: Stage, concurrent: number): Promise<Throughput> {
  const topic = topicName(stage.prefix, TOPICS.journal);
  const producer = new BatchingProducer({ client: stage.client, log: silentLog });
  const client = stage.client;
  const reader = new LogReader({ client, topic, log: silentLog });
  const follower = new LogFollower({ client, topic: TOPICS.journal.name, topicPrefix: stage.prefix, log: silentLog });
  const view = new OwnedJournal({
    log: {
      async append(record) {
        const key = orderKey(record.merchant, record.orderId);
        return (await producer.send({ topic, partition: journalPartition(key), key, value: encodeRecord(record) }))
          .offset;
      },
      end: async (partition) => (await topicOffsets(stage.client, topic)).get(partition)?.high ?? 0n,
    },
    ...{ index: NO_INDEX, journal: reader, follower, events: { publish: () => Promise.resolve() } },
    bounds: async (partition) => (await topicOffsets(client, topic)).get(partition)!,
    timing: {
      nowMs: () => Date.now(),
      monotonicMs: () => performance.now(),
      sleep: (ms, signal) => delay(ms, undefined, { signal }),
    },
    logger: silentLog,
    rulesVersion: NEWEST_RULES_VERSION,
  });
  await Promise.all([producer.connect(), follower.start()]);
  for (const partition of (await topicOffsets(client, topic)).keys()) {
    const owner = view.own(partition);
    void owner.run(0n, () => undefined);
    await owner.whenServing(view.closing);
  }
  let nth = 0;
  const measured = await loopsOf(concurrent, async () => {
    const record = intent(nth++);
    await view.read(record.merchant, record.orderId);
    const startedMs = performance.now();
    await view.appendAndRead(record);
    return startedMs;
  });
  view.close();
  await Promise.all([follower.stop(), reader.close()]);
  await producer.close();
  return measured;
}

/** kafkajs' producer writes records of the same size to the same topic, in its own process. */
async function sends({ brokers }: Context, stage: Stage, concurrent: number): Promise<Throughput> {
  const kafka = { KAFKA_BROKERS: brokers, TOPIC: topicName(stage.prefix, TOPICS.events) };
  const env = { ...kafka, CONCURRENT: String(concurrent) };
  const { exited, report } = await startScript({ main: ['peers/main.js', 'kafkajs-sends'], env });
  await exited;
  if (report.perSecond === undefined) throw new Error('kafkajs’ producer reported nothing');
  return report as unknown as Throughput;
}
