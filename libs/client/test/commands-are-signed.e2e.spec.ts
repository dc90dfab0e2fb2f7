import { generateKeyPairSync } from 'node:crypto';
import { COMMAND_TOPICS, signatureProblem } from '@tranche/contracts';
import { createKafkaClient, LogFollower, type ConsumedRecord } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { aVoid, waitFor } from '@tranche/testing';
import { kafkaWorld } from './worlds.js';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const keys = [{ kid: 'k1', publicKey: publicKey.export({ format: 'jwk' }).x! }];

it('signs a command for one environment: another one does not take it', async () => {
  const world = await kafkaWorld();
  const { name } = COMMAND_TOPICS['partner-a'];
  const records: ConsumedRecord[] = [];
  const follower = new LogFollower({
    client: createKafkaClient({ brokers: world.brokers, clientId: 'spec' }, silentLog),
    topic: name,
    topicPrefix: world.prefix,
    log: silentLog,
  });
  world.atEnd(() => follower.stop());
  await follower.start({ from: 'beginning', onRecords: (_partition, read) => void records.push(...read) });
  const client = await world.client({ signing: { kid: 'k1', privateKey, environmentId: 'production' } });
  await client.publisher.void(aVoid(), { id: 'signed' });
  const record = await waitFor(() => records[0], { what: 'the command' });
  const problemIn = (environmentId: string | undefined) =>
    signatureProblem({ ...record, topic: world.prefix + name }, { keys, environmentId, atMs: [Date.now()] });
  expect(await problemIn('production')).toBeUndefined();
  expect(await problemIn('staging')).toBe('does_not_match');
  expect(await problemIn(undefined)).toBe('does_not_match');
  await world.close();
});
