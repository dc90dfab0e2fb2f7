import kafkajs from 'kafkajs';
import { BatchingProducer, createKafkaClient } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { waitFor } from '@tranche/testing';
import { holdProcesses } from './processes.mjs';
import { startThreeBrokers } from './test/three-brokers.mjs';

const PARTITIONS = 12;
const ROUNDS = 5;
const RECORDS_PER_ROUND = 10_000;
const CONCURRENT_PER_PARTITION = 20;

const held = holdProcesses();
let producer;
afterAll(async () => {
  await producer?.close();
  await held.close();
});

/** Records a second, over the partitions 1 to 11. */
async function rate(send) {
  const begun = performance.now();
  let sent = 0;
  const sender = async (partition) => {
    while (sent++ < RECORDS_PER_ROUND) await send(partition);
  };
  const senders = Array.from({ length: (PARTITIONS - 1) * CONCURRENT_PER_PARTITION }, (_, at) =>
    sender(1 + (at % (PARTITIONS - 1))),
  );
  await Promise.all(senders);
  return RECORDS_PER_ROUND / ((performance.now() - begun) / 1000);
}

it('eleven partitions keep nine tenths of their rate while the twelfth has too few replicas', async () => {
  const { nodes } = await startThreeBrokers(held);
  const brokers = [nodes[0].address, nodes[2].address];
  const admin = new kafkajs.Kafka({ brokers, retry: { retries: 0 }, logLevel: kafkajs.logLevel.NOTHING }).admin();
  const isConnected = () => admin.connect().then(() => true, () => false); // prettier-ignore
  await waitFor(isConnected, { what: 'the cluster to answer', timeoutMs: 90_000 });
  const areAllThere = async () => (await admin.describeCluster()).brokers.length === 3;
  await waitFor(areAllThere, { what: 'three brokers in the cluster', timeoutMs: 90_000 });
  const replicaAssignment = Array.from({ length: PARTITIONS }, (_, partition) => ({
    partition,
    replicas: partition === 0 ? [1, 2] : [1, 3],
  }));
  const configEntries = [{ name: 'min.insync.replicas', value: '2' }];
  await admin.createTopics({ timeout: 30_000, topics: [{ topic: 'records', replicaAssignment, configEntries }] });
  producer = new BatchingProducer({
    client: createKafkaClient({ brokers, clientId: 'spec' }, silentLog),
    log: silentLog,
  });
  let acknowledged = 0;
  const send = (partition) =>
    producer.send({ topic: 'records', partition, key: 'key', value: Buffer.alloc(300) }).then(() => acknowledged++);
  await send(0);
  await rate(send);

  const before = [];
  for (let round = 0; round < ROUNDS; round++) before.push(await rate(send));
  nodes[1].process.kill('SIGKILL');
  const inSync = async () => {
    const { topics } = await admin.fetchTopicMetadata({ topics: ['records'] });
    return topics[0].partitions.find(({ partitionId }) => partitionId === 0).isr.length === 1;
  };
  await waitFor(inSync, { what: 'partition 0 to have one replica in sync', timeoutMs: 120_000 });
  let isTaken = false;
  void send(0).then(
    () => (isTaken = true),
    () => undefined,
  );
  const after = [];
  for (let round = 0; round < ROUNDS; round++) after.push(await rate(send));
  expect(isTaken).toBe(false);
  await admin.disconnect();

  const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
  const ratio = median(after) / median(before);
  console.log(
    `${Math.round(median(before))} records/s before, ${Math.round(median(after))} while held: ${ratio.toFixed(2)}`,
  );
  expect(ratio).toBeGreaterThan(0.9);
}, 600_000);
