import { Command } from 'commander';
import { parseAllDocuments } from 'yaml';
import { addAclsCommand } from './acls/acls.command.js';
import type { KafkaAcl } from './acls/access-table.js';
import { UsageError, RefusedError } from './exit.js';
import { addTopicsCommand } from './topics/topics.command.js';

interface Resource {
  metadata: { name: string };
  spec: {
    authorization: { acls: { resource: { type: string; name: string; patternType: string }; operations: [] }[] };
  };
}

async function tranche(...args: string[]): Promise<string> {
  const print = jest.spyOn(console, 'log').mockImplementation(() => undefined);
  const program = new Command('tranche').exitOverride().configureOutput({ writeErr: () => undefined });
  addTopicsCommand(program, () => undefined);
  addAclsCommand(program, () => undefined);
  await program.parseAsync(args, { from: 'user' });
  return String(print.mock.lastCall?.[0]);
}
const resourcesOf = async (...args: string[]) =>
  parseAllDocuments(await tranche(...args)).map((document) => document.toJS() as Resource);

const before = process.env.KAFKA_TOPIC_PREFIX;
beforeAll(() => void (process.env.KAFKA_TOPIC_PREFIX = 'Shop_1.'));
afterAll(() => {
  if (before === undefined) delete process.env.KAFKA_TOPIC_PREFIX;
  else process.env.KAFKA_TOPIC_PREFIX = before;
});

describe('resources of Strimzi', () => {
  it('topics are those that TOPICS=check wants, under names that Kubernetes takes', async () => {
    const topics = await resourcesOf('topics', '--strimzi', '--flush', '--cluster', 'main');
    expect(topics).toHaveLength(14);
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

  it('users have the rights of the script, each its own', async () => {
    const users = await resourcesOf(
      ...['acls', '--strimzi', '--authentication', 'tls', '--publisher', 'shop', '--rails', 'card'],
    );
    const rows = JSON.parse(
      await tranche('acls', '--kafka', '--publisher', 'shop', '--rails', 'card', '--json'),
    ) as KafkaAcl[];
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
      'operations',
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
    ['a user that Kubernetes can’t name', ['acls', '--strimzi', '--publisher', 'My_Shop'], RefusedError, /^My_Shop can't be the name/],
    ['a rail that there is not', ['acls', '--rails', 'card,cash'], RefusedError, /^there is no rail cash: it is one of partner-a/],
    ['two kinds of output', ['acls', '--strimzi', '--redis'], UsageError, /^give one of --kafka, --redis and --strimzi/],
    ['a plan and resources', ['topics', '--strimzi', '--plan'], UsageError, /^give one of --plan, --apply and --strimzi/],
  ])('refuses %s', async (_, args, kind, says) => {
    const refused = tranche(...args);
    await expect(refused).rejects.toThrow(kind);
    await expect(refused).rejects.toThrow(says);
  }); // prettier-ignore

  it('refuses an unknown authentication', async () => {
    await expect(tranche('acls', '--authentication', 'plain')).rejects.toThrow(/choices are scram-sha-512, tls/);
  });
});
