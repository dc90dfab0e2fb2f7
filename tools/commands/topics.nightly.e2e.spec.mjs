import { spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import kafkajs from 'kafkajs';
import { TOPICS } from '@tranche/contracts';
import { startApp } from '@tranche/testing';
import { holdProcesses } from '../infra/processes.mjs';
import { startThreeBrokers } from '../infra/test/three-brokers.mjs';

const { PATH, HOME, REDIS_URL } = process.env;
const PREFIX = 'shop.';
const held = holdProcesses();
afterAll(() => held.close());

it('makes the topics so that a service starts with TOPICS=check, and mends what was changed', async () => {
  // `TOPICS=check` requires three replicas, so the test starts three brokers.
  const { nodes, folder } = await startThreeBrokers(held);
  const brokers = nodes.map(({ address }) => address).join(',');
  const topics = async (mode) => {
    const env = { PATH, HOME, KAFKA_BROKERS: brokers, KAFKA_TOPIC_PREFIX: PREFIX };
    const child = spawn(process.execPath, ['tools/dev.mjs', 'topics', mode, '--json'], { env, stdio: ['ignore', 'pipe', 'inherit'] }); // prettier-ignore
    let text = '';
    child.stdout.on('data', (data) => (text += data));
    const [status] = await once(child, 'close');
    return { status, ...JSON.parse(text) };
  };
  const empty = { create: [], configure: [], byHand: [], notes: [] };

  expect((await topics('--plan')).create).toHaveLength(Object.keys(TOPICS).length);
  expect(await topics('--apply')).toMatchObject({ status: 0, applied: true });
  expect(await topics('--plan')).toMatchObject({ status: 0, ...empty });

  const merchants = join(folder, 'merchants.json');
  const publicKey = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x;
  const signed = { publisherKeys: [{ kid: 'k1', publicKey }], requireSignatures: true };
  writeFileSync(
    merchants,
    JSON.stringify([{ merchant: 'shop', identifier: 'Shop', accountKey: 'a-key-of-its-own', ...signed }]),
  );
  const settings = { KAFKA_BROKERS: brokers, KAFKA_TOPIC_PREFIX: PREFIX, REDIS_URL, MERCHANTS_FILE: merchants };
  const ingest = await startApp('notification-ingest', { ...settings, TOPICS: 'check' }, { readyTimeoutMs: 180_000 });
  expect(await ingest.stop()).toBe(0);

  const journal = `${PREFIX}payments.journal.v1`;
  const events = `${PREFIX}payments.events.v1`;
  const admin = new kafkajs.Kafka({ brokers: brokers.split(','), logLevel: kafkajs.logLevel.NOTHING }).admin();
  await admin.connect();
  const own = { 'cleanup.policy': 'delete', 'max.message.bytes': '16777216', 'min.insync.replicas': '2' };
  const set = (name, config) =>
    admin.alterConfigs({
      validateOnly: false,
      resources: [
        { type: 2, name, configEntries: Object.entries(config).map(([key, value]) => ({ name: key, value })) },
      ],
    });
  await set(journal, { ...own, 'retention.ms': '1000', 'segment.ms': '7000000' });
  await set(events, { ...own, 'retention.ms': '-1' });
  const plan = await topics('--apply');
  expect(plan.configure).toEqual([{ topic: journal, config: { 'retention.ms': '8640000000' } }]);
  expect(plan.byHand).toEqual([{ topic: events, message: expect.stringContaining('retention.ms is -1') }]);
  expect(plan.status).toBe(6);
  expect((await topics('--plan')).configure).toEqual([]);
  const { resources } = await admin.describeConfigs({
    resources: [{ type: 2, name: journal }],
    includeSynonyms: false,
  });
  const valueOf = (wanted) => resources[0].configEntries.find(({ configName }) => configName === wanted).configValue;
  expect([valueOf('segment.ms'), valueOf('retention.ms')]).toEqual(['7000000', '8640000000']);
  await admin.disconnect();
}, 900_000);

it.each([
  [
    'a setting of TLS that is wrong',
    { KAFKA_SSL: 'true', KAFKA_SSL_CA_FILE: '/no/such/file' },
    78,
    /^KAFKA_SSL_CA_FILE: names a file that cannot be read \(ENOENT: .*\n$/,
  ],
  [
    'tokens for Kafka, of an endpoint that is not there',
    {
      KAFKA_SASL_MECHANISM: 'oauthbearer',
      KAFKA_SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL: 'https://127.0.0.1:1/token',
      KAFKA_SASL_OAUTHBEARER_CLIENT_ID: 'topics',
      KAFKA_SASL_OAUTHBEARER_CLIENT_SECRET: 'a-secret-of-its-own',
    },
    1,
    /^Kafka does not answer at 127\.0\.0\.1:1 \(KAFKA_BROKERS\) within 30 s: .*ECONNREFUSED.*\n {2}next: start it, or set KAFKA_BROKERS .*\n$/m,
  ],
  ['brokers that are none', { KAFKA_BROKERS: 'kafka://127.0.0.1' }, 78, /^KAFKA_BROKERS: must be host:port/],
])(
  'reads every setting of Kafka as a service does, and says in a line what is wrong: %s',
  (_, settings, code, says) => {
    const env = { PATH, HOME, KAFKA_BROKERS: '127.0.0.1:1', ...settings };
    const { status, stdout, stderr } = spawnSync(process.execPath, ['tools/dev.mjs', 'topics'], { env, encoding: 'utf8' }); // prettier-ignore
    expect([status, stdout]).toEqual([code, '']);
    expect(stderr).toMatch(says);
  },
  90_000,
);
