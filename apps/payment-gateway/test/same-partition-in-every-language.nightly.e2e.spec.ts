import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMAND_TOPICS, encodeCloudEvent, orderKey, signatureProblem, topicName } from '@tranche/contracts';
import { BatchingProducer, createKafkaClient, LogFollower, type ConsumedRecord } from '@tranche/kafka';
import { JOURNAL_PARTITIONS, journalPartition } from '@tranche/order-journal';
import { silentLog } from '@tranche/runtime';
import {
  aCapture,
  aCommand,
  infrastructure,
  makeTopics,
  ownPrefix,
  publisherKeyOfTests,
  repositoryRoot,
  waitFor,
} from '@tranche/testing';
import {
  commandsOf,
  copyOfExample,
  installedLanguages,
  putPublisher,
  signingVariables,
  startIn,
  type Language,
} from './language-examples.js';

const LANGUAGES: Language[] = ['python', 'java', 'go'];
const installed = installedLanguages(LANGUAGES);
const topic = COMMAND_TOPICS['partner-a'];
const merchant = 'shop-fr';

const vectors = JSON.parse(
  readFileSync(join(repositoryRoot(), 'libs/contracts/vectors/command-signatures.json'), 'utf8'),
) as { commands: { key: string }[] };
const ORDER_IDS = [
  ...Array.from({ length: 60 }, (_, at) => `order-${at}`),
  ...['a', 'été', 'naïve/2', 'заказ-7', '注文-8', '🛋-9', 'x'.repeat(40), '🛋'.repeat(40)],
  ...vectors.commands.map(({ key }) => key.slice(`${merchant}/`.length)),
];
const KEYS = [...new Set(ORDER_IDS)].map((orderId) => orderKey(merchant, orderId));

const { brokers } = infrastructure();
const client = createKafkaClient({ brokers: brokers.split(','), clientId: 'partitions-spec' }, silentLog);

/** The same commands for each language, on topics of its own. */
const commandsOn = (prefix: string) =>
  KEYS.map((key) => {
    const orderId = key.slice(`${merchant}/`.length);
    const description = `Chaises d’été, ${orderId}`;
    const { headers, value } = encodeCloudEvent(
      aCommand('payment.capture', aCapture({ merchant, orderId, description })),
    );
    return { topic: topicName(prefix, topic), key, headers, value };
  });

async function recordsOn(prefix: string): Promise<ConsumedRecord[]> {
  const records: ConsumedRecord[] = [];
  const follower = new LogFollower({ client, topic: topic.name, topicPrefix: prefix, log: silentLog });
  await follower.start({ from: 'beginning', onRecords: (_partition, read) => void records.push(...read) });
  await waitFor(() => records.length >= KEYS.length, { what: 'a record of each key' }).finally(() => follower.stop());
  return records;
}

const partitionsIn = (records: readonly ConsumedRecord[]) =>
  Object.fromEntries(records.map(({ key, partition }) => [key ?? '', partition]));
const ofTheJournal = Object.fromEntries(KEYS.map((key) => [key, journalPartition(key)]));

it('Node puts each order on the partition of its journal, and the orders are on all of them', async () => {
  const prefix = ownPrefix();
  await makeTopics(prefix);
  const producer = new BatchingProducer({ client, log: silentLog });
  await Promise.all(commandsOn(prefix).map((command) => producer.send(command)));
  await producer.close();
  expect(partitionsIn(await recordsOn(prefix))).toEqual(ofTheJournal);
  expect(new Set(Object.values(ofTheJournal)).size).toBe(JOURNAL_PARTITIONS);
});

describe.each(LANGUAGES)('the example in %s', (language) => {
  const unlessAbsent = installed.includes(language) ? it : it.skip;

  unlessAbsent(
    'puts the commands of each order where Node puts them, with signatures that count',
    async () => {
      const prefix = ownPrefix();
      await makeTopics(prefix);
      const copy = copyOfExample(language);
      try {
        putPublisher(language, copy);
        const { prepare, run: command } = commandsOf(language);
        for (const line of prepare) expect(await startIn(copy, line, {}).ended).toMatchObject({ code: 0 });
        const lines = commandsOn(prefix).map(({ value, ...rest }) =>
          JSON.stringify({ ...rest, value: value.toString() }),
        );
        const env = { KAFKA_BROKERS: brokers, ...signingVariables() };
        const { code, stderr } = await startIn(copy, command, env, lines.join('\n')).ended;
        expect([stderr, code]).toEqual(['', 0]);
      } finally {
        copy.remove();
      }
      const records = await recordsOn(prefix);
      expect(partitionsIn(records)).toEqual(ofTheJournal);
      for (const record of records) {
        const expected = { keys: [publisherKeyOfTests()], environmentId: 'tests', atMs: [Date.now()] };
        expect(await signatureProblem({ ...record, topic: topicName(prefix, topic) }, expected)).toBeUndefined();
      }
    },
    600_000,
  );
});
