import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'redis';
import { TOPICS } from '@tranche/contracts';
import { BatchingProducer, createKafkaClient, ensureTopics } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { infrastructure, ownPrefix } from '@tranche/testing';
import { cardCanary, cardTokenCanary, secretCanary } from '../faults/canaries/canaries.js';
import { logOf, redisPlaces, topicsOf, type Place } from '../faults/canaries/places.js';
import { search } from '../faults/canaries/search.js';
import { SCENARIOS } from '../faults/catalogue.js';
import { Infrastructure } from '../faults/infrastructure.js';
import { faultsOf, runScenario } from '../faults/run-scenario.js';

const { brokers, redisUrl } = infrastructure();
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'canaries-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('no planted secret is left in a log, a record, a store or a metric', async () => {
  const place = new Infrastructure({ folder, kafka: { brokers }, redis: { url: redisUrl } });
  const scenario = SCENARIOS.find(({ name }) => name === 'canaries-platform-answers-lost')!;
  expect(faultsOf(await runScenario(scenario, 1, place))).toEqual([]);
}, 900_000);

describe('a leak is seen', () => {
  const secret = randomUUID();
  const number = '4970101298760016';
  const canaries = [
    secretCanary('a secret', secret),
    cardCanary('a card number', number),
    cardTokenCanary(randomUUID()),
  ];
  const hitsIn = (places: readonly Place[]) =>
    places
      .flatMap((one) => search(one, canaries).hits)
      .map(({ canary, form, place, entry }) => [canary, form, place, entry]);

  it('in a line of a log', () => {
    const lines = [
      '{"level":"info","msg":"started"}',
      `{"level":"error","msg":"refused ${number.replace(/(.{4})/g, '$1 ')}"}`,
    ];
    expect(hitsIn([logOf('a-service', lines)])).toEqual([['a card number', 'in groups', 'log of a-service', 'line 2']]);
  });

  it('in a record: its key, its value, its headers', async () => {
    const topicPrefix = ownPrefix();
    const client = createKafkaClient({ brokers: brokers.split(','), clientId: 'canaries' }, silentLog);
    const definitions = [TOPICS.events];
    await ensureTopics(client, {
      prefix: topicPrefix,
      definitions,
      replicationFactor: 1,
      minInSyncReplicas: 1,
      log: silentLog,
    });
    const producer = new BatchingProducer({ client, log: silentLog });
    const topic = topicPrefix + TOPICS.events.name;
    const send = (record: { key?: string; value?: string; headers?: Record<string, string> }) =>
      producer.send({
        topic,
        key: 'shop-fr/order-1',
        partition: 0,
        headers: {},
        ...record,
        value: Buffer.from(record.value ?? '{}'),
      });
    await send({});
    await send({ value: JSON.stringify({ note: Buffer.from(secret).toString('base64') }) });
    await send({ key: `shop-fr/${number}` });
    await send({ headers: { ce_subject: secret } });
    await producer.close();
    expect(hitsIn(await topicsOf(client, topicPrefix))).toEqual([
      ['a secret', 'base64', TOPICS.events.name, '0/1 value'],
      ['a card number', 'plain', TOPICS.events.name, '0/2 key'],
      ['a secret', 'plain', TOPICS.events.name, '0/3 headers'],
    ]);
  });

  it('in Redis, in any kind of value, in any database', async () => {
    const prefix = ownPrefix();
    const own = Number(new URL(redisUrl).pathname.slice(1) || 0);
    const redis = await createClient({ url: redisUrl }).connect();
    try {
      await redis.set(`${prefix}string`, Buffer.concat([Buffer.of(0, 255, 10), Buffer.from(secret)]));
      await redis.hSet(`${prefix}hash`, 'field', secret);
      await redis.hSet(`${prefix}hash-field`, secret, 'value');
      await redis.rPush(`${prefix}list`, ['a', secret]);
      await redis.sAdd(`${prefix}set`, secret);
      await redis.zAdd(`${prefix}sorted`, { score: 1, value: secret });
      await redis.xAdd(`${prefix}stream`, '*', { field: secret });
      await redis.set(`${prefix}${secret}`, 'in the name');
      const kinds = ['string', 'hash', 'hash-field', 'list', 'set', 'sorted', 'stream', secret];
      const places = await redisPlaces(redisUrl);
      const seen = places.flatMap((place) =>
        place.entries
          .filter(({ label }) => label.startsWith(prefix))
          .filter((entry) => search({ ...place, entries: [entry] }, canaries).count > 0)
          .map(({ label }) => [place.name, label]),
      );
      expect(seen.sort()).toEqual(kinds.map((kind) => [`redis ${own}`, prefix + kind]).sort());
    } finally {
      await redis.del(
        ['string', 'hash', 'hash-field', 'list', 'set', 'sorted', 'stream', secret].map((kind) => prefix + kind),
      );
      await redis.close();
    }
  });
});
