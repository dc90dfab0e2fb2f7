import { spawnSync } from 'node:child_process';
import { parseAllDocuments } from 'yaml';

const { PATH, HOME } = process.env;
const tranche = (...args) => {
  const env = { PATH, HOME, KAFKA_TOPIC_PREFIX: 'Shop_1.' };
  return spawnSync(process.execPath, ['tools/tranche.mjs', ...args], { env, encoding: 'utf8' });
};
const resourcesOf = (...args) => parseAllDocuments(tranche(...args).stdout).map((document) => document.toJS());

describe('resources of Strimzi', () => {
  it('topics are those that TOPICS=check wants, under names that Kubernetes takes', () => {
    const topics = resourcesOf('topics', '--strimzi', '--flush', '--cluster', 'main');
    expect(topics).toHaveLength(12);
    expect(topics.find(({ metadata }) => metadata.name.endsWith('journal.v1'))).toEqual({
      apiVersion: 'kafka.strimzi.io/v1',
      kind: 'KafkaTopic',
      metadata: { name: 'shop-1.payments.journal.v1', labels: { 'strimzi.io/cluster': 'main' } },
      spec: {
        topicName: 'Shop_1.payments.journal.v1',
        partitions: 12,
        replicas: 3,
        config: {
          'cleanup.policy': 'delete',
          'retention.ms': '8640000000',
          'max.message.bytes': '16777216',
          'min.insync.replicas': '2',
          'unclean.leader.election.enable': 'false',
          'flush.messages': '1',
        },
      },
    });
  });

  it('users have the rights of the script, each its own', () => {
    const users = resourcesOf('acls', '--strimzi', '--authentication', 'tls', '--publisher', 'shop', '--rails', 'card');
    const rows = JSON.parse(tranche('acls', '--kafka', '--publisher', 'shop', '--rails', 'card', '--json').stdout);
    const rights = users.flatMap(({ metadata, spec }) =>
      spec.authorization.acls.map(({ resource: { type, name, patternType }, operations }) => ({
        principal: metadata.name,
        resource: type,
        name,
        pattern: patternType.replace('prefix', 'prefixed'),
        operations,
      })),
    );
    expect(rights).toEqual(rows);
    const names = [
      'payment-gateway',
      'notification-ingest',
      'auth-service',
      'cse-token-service',
      'tranche-cli',
      'shop',
    ];
    expect(users.map(({ metadata }) => metadata.name)).toEqual(names);
    expect(users[0]).toMatchObject({
      apiVersion: 'kafka.strimzi.io/v1',
      kind: 'KafkaUser',
      metadata: { labels: { 'strimzi.io/cluster': 'kafka' } },
      spec: { authentication: { type: 'tls' }, authorization: { type: 'simple' } },
    });
  });

  it.each([
    ['a user that Kubernetes can’t name', ['acls', '--strimzi', '--publisher', 'My_Shop'], /My_Shop can't be the name/],
    ['two kinds of output', ['acls', '--strimzi', '--redis'], /give one of --kafka, --redis and --strimzi/],
    ['a plan and resources', ['topics', '--strimzi', '--plan'], /give one of --plan, --apply and --strimzi/],
    ['an unknown authentication', ['acls', '--authentication', 'plain'], /must be one of scram-sha-512, tls/],
  ])('refuses %s', (_, args, says) => {
    const { status, stderr } = tranche(...args);
    expect(status).not.toBe(0);
    expect(stderr).toMatch(says);
  });
});
