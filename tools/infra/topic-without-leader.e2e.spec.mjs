import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import kafkajs from 'kafkajs';
import { startApp, startSimulator, waitFor } from '@tranche/testing';
import { holdProcesses } from './processes.mjs';
import { startThreeBrokers } from './test/three-brokers.mjs';

const held = holdProcesses();
afterAll(() => held.close(), 60_000);

it("pays although a topic of somebody else's has lost its only broker", async () => {
  const { nodes } = await startThreeBrokers(held);
  const brokers = nodes.slice(0, 2).map(({ address }) => address);
  const admin = new kafkajs.Kafka({ brokers, retry: { retries: 0 }, logLevel: kafkajs.logLevel.NOTHING }).admin();
  await admin.connect();
  await admin.createTopics({
    waitForLeaders: true,
    topics: [{ topic: 'of-others', replicaAssignment: [{ partition: 0, replicas: [3] }] }],
  });
  nodes[2].process.kill('SIGKILL');
  const hasNoLeader = () =>
    admin.fetchTopicMetadata({ topics: ['of-others'] }).then(
      () => false,
      ({ message }) => message.includes('no leader'),
    );
  await waitFor(hasNoLeader, { what: 'the topic to have no leader', timeoutMs: 60_000 });
  await admin.disconnect();

  const simulator = await startSimulator();
  const gateway = await startApp('payment-gateway', {
    KAFKA_BROKERS: brokers.join(','),
    REDIS_URL: process.env.REDIS_URL,
    KAFKA_TOPIC_PREFIX: 'leaderless.',
    PAYMENT_URL: simulator.url,
    AUTH_SERVICE_KEY: 'not-used',
  });
  const env = { ...process.env, KAFKA_BROKERS: brokers.join(','), KAFKA_TOPIC_PREFIX: 'leaderless.' };
  const { stdout } = await promisify(execFile)(process.execPath, ['examples/quickstart/quickstart.mjs'], { env });
  expect(stdout).toMatch(/^payment\.authorize\.redirect_required \{/);
  expect(await gateway.stop()).toBe(0);
  await simulator.stop();
}, 300_000);
