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
import { percentile } from '../figures.js';
import type { Bench, Context } from './bench.js';
import { intent } from './journal-records.js';
import { startScript } from './processes.js';
import { cpuMsOf } from './rate.js';
import { row, type Row, type Target } from './report.js';
import { Stage } from './stage.js';

const WARM_UP_MS = 1_000;
const MEASURED_MS = 4_000;
const RATE: Target = { atLeast: 10_000 };

/** Measures the durable intent before every call: appended with acks=all, read back through the tail and judged by the fold. */
export const journal: Bench = {
  name: 'journal',
  about: 'intents/s and latency of append (acks=all) and read-back, against kafkajs’ producer alone',
  parts: [
    { name: 'concurrent-1', run: (context) => intents(context, 1, {}) },
    { name: 'concurrent-64', run: (context) => intents(context, 64, { rate: RATE, p50: { atMost: 5 } }) },
    { name: 'concurrent-256', run: (context) => intents(context, 256, { rate: RATE }) },
    { name: 'concurrent-512', run: (context) => intents(context, 512, { rate: RATE }) },
  ],
};

interface Seen {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

async function intents(context: Context, concurrent: number, targets: { p50?: Target; rate?: Target }): Promise<Row[]> {
  const stage = await Stage.open(context);
  try {
    const own = await journalOf(stage, concurrent);
    context.log(`ours: ${own.perSecond.toFixed(0)}/s, p50 ${own.p50Ms.toFixed(2)} ms`);
    const single = await sends(context, stage, concurrent);
    context.log(`kafkajs: ${single.perSecond.toFixed(0)}/s`);
    const name = `concurrent-${concurrent}`;
    return [
      row({
        ...{ name: `${name}-rate`, unit: 'intents/s', ours: own.perSecond, target: targets.rate },
        ...{ peers: { 'single-sends': single.perSecond }, details: { cpuMsEach: own.cpuMsEach } },
      }),
      row({
        ...{ name: `${name}-p50`, unit: 'ms', ours: own.p50Ms, target: targets.p50 },
        ...{ peers: { 'single-sends': single.p50Ms }, details: { p99: own.p99Ms, singleSendsP99: single.p99Ms } },
      }),
    ];
  } finally {
    await stage.remove();
  }
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
async function journalOf(stage: Stage, concurrent: number): Promise<Seen & { cpuMsEach: number }> {
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
  const warmMs = performance.now() + WARM_UP_MS;
  const untilMs = warmMs + MEASURED_MS;
  const latencies: number[] = [];
  let cpuMs = 0;
  let nth = 0;
  const worker = async () => {
    while (performance.now() < untilMs) {
      const record = intent(nth++);
      await view.read(record.merchant, record.orderId);
      const startedMs = performance.now();
      if (startedMs >= warmMs && latencies.length === 0) cpuMs ||= cpuMsOf(process.pid);
      await view.appendAndRead(record);
      if (startedMs >= warmMs) latencies.push(performance.now() - startedMs);
    }
  };
  await Promise.all(Array.from({ length: concurrent }, worker));
  const cpuMsEach = (cpuMsOf(process.pid) - cpuMs) / latencies.length;
  view.close();
  await Promise.all([follower.stop(), reader.close()]);
  await producer.close();
  const perSecond = (latencies.length * 1000) / MEASURED_MS;
  return { perSecond, p50Ms: percentile(latencies, 0.5), p99Ms: percentile(latencies, 0.99), cpuMsEach };
}

/** kafkajs' producer writes records of the same size to the same topic, in its own process. */
async function sends({ brokers }: Context, stage: Stage, concurrent: number): Promise<Seen> {
  let seen: Seen | undefined;
  const kafka = { KAFKA_BROKERS: brokers, TOPIC: topicName(stage.prefix, TOPICS.events) };
  const env = { ...kafka, CONCURRENT: String(concurrent), SECONDS: String(MEASURED_MS / 1000) };
  const onMessage = (message: unknown) => void (seen = message as Seen);
  const child = await startScript({ main: ['peers/main.js', 'kafkajs-sends'], env, onMessage });
  await child.exited;
  if (!seen) throw new Error('kafkajs’ producer reported nothing');
  return seen;
}
