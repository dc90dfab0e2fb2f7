import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import kafkajs from 'kafkajs';
import { ownPrefix, startApp, startSimulator, waitFor } from '@tranche/testing';
import { holdProcesses } from './processes.mjs';
import { startThreeBrokers } from './test/three-brokers.mjs';

const held = holdProcesses();
let simulator;
afterAll(() => Promise.all([simulator?.stop(), held.close()]));

it("pays although a topic of somebody else's has lost its only broker", async () => {
  const { nodes } = await startThreeBrokers(held);
  const brokers = nodes.slice(0, 2).map(({ address }) => address);
  const admin = new kafkajs.Kafka({
    brokers,
    connectionTimeout: 30_000,
    retry: { retries: 0 },
    logLevel: kafkajs.logLevel.NOTHING,
  }).admin();
  await admin.connect();
  // A broker accepts connections before it has joined the cluster.
  const areAllThere = async () => (await admin.describeCluster()).brokers.length === 3;
  await waitFor(areAllThere, { what: 'three brokers in the cluster', timeoutMs: 90_000 });
  await admin.createTopics({
    timeout: 30_000,
    waitForLeaders: false,
    topics: [{ topic: 'of-others', replicaAssignment: [{ partition: 0, replicas: [3] }] }],
  });
  const hasLeader = async () => {
    const { topics } = await admin.fetchTopicMetadata({ topics: ['of-others'] });
    return topics[0].partitions[0]?.leader === 3;
  };
  await waitFor(hasLeader, { what: 'the topic to have its leader', timeoutMs: 60_000 });
  nodes[2].process.kill('SIGKILL');
  const hasNoLeader = () =>
    admin.fetchTopicMetadata({ topics: ['of-others'] }).then(
      () => false,
      ({ message }) => message.includes('no leader'),
    );
  await waitFor(hasNoLeader, { what: 'the topic to have no leader', timeoutMs: 60_000 });
  await admin.disconnect();

  simulator = await startSimulator();
  // Redis outlives these brokers, and would hold the index of a journal that they do not have.
  const prefix = ownPrefix();
  const settings = {
    KAFKA_BROKERS: brokers.join(','),
    REDIS_URL: process.env.REDIS_URL,
    KAFKA_TOPIC_PREFIX: prefix,
    PAYMENT_URL: simulator.url,
    AUTH_SERVICE_KEY: 'not-used',
  };
  const gateway = await startApp('payment-gateway', settings, { readyTimeoutMs: 180_000 });
  const env = { ...process.env, KAFKA_BROKERS: brokers.join(','), KAFKA_TOPIC_PREFIX: prefix };
  const { stdout } = await promisify(execFile)(process.execPath, ['examples/quickstart/quickstart.mjs'], { env });
  expect(stdout).toMatch(/^payment\.authorize\.redirect_required \{/);
  expect(await gateway.stop()).toBe(0);
}, 300_000);
