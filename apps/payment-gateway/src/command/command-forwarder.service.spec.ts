import { generateKeyPairSync } from 'node:crypto';
import {
  COMMAND_TOPICS,
  commandSignatureProblem,
  encodeCloudEvent,
  orderKey,
  readMerchants,
  SIGNATURE_HEADER,
  signCommand,
} from '@tranche/contracts';
import { RecordTooLargeError, TopicDeniedError, type ConsumedRecord, type ProducerRecord } from '@tranche/kafka';
import { RetryableError, TerminalError } from '@tranche/kafka/nest';
import { JOURNAL_PARTITIONS, journalPartition } from '@tranche/order-journal';
import { Metrics, type ServiceLogger } from '@tranche/service-kit';
import { aCommand, aPartnerAAuthorization } from '@tranche/testing';
import { commandConsumer } from '../../test/command-consumer.js';
import type { RelayProducer } from '../gateway-kafka.module.js';
import type { GatewayConfig } from '../gateway.config.js';
import type { PartitionOwners } from '../journal/partition-owners.service.js';
import { CommandForwarder } from './command-forwarder.service.js';

const topic = COMMAND_TOPICS['partner-a'].name;
const data = aPartnerAAuthorization();
const key = orderKey(data.merchant, data.orderId);
const own = journalPartition(key);
const other = (own + 1) % JOURNAL_PARTITIONS;
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const shops = [data.merchant, 'shop-other'].map((merchant) => ({
  ...{ merchant, identifier: `Shop of ${merchant}`, accountKey: `an-account-key-of-${merchant}` },
  publisherKeys: [{ kid: 'k1', publicKey: publicKey.export({ format: 'jwk' }).x }],
}));

function recordOf(parts: Partial<ConsumedRecord> = {}): ConsumedRecord {
  const event = encodeCloudEvent(aCommand('payment.authorize', data));
  const signature = signCommand({ topic: `test.${topic}`, key, ...event }, { kid: 'k1', privateKey });
  const headers = { ...event.headers, [SIGNATURE_HEADER]: signature };
  const at = { topic, partition: other, offset: 7n, timestampMs: Date.now() };
  return { ...at, key, rawKey: Buffer.from(key), value: event.value, headers, ...parts };
}

const recordAbout = (merchant: string, orderId: string) => {
  const name = orderKey(merchant, orderId);
  const partition = (journalPartition(name) + 1) % JOURNAL_PARTITIONS;
  return recordOf({ key: name, rawKey: Buffer.from(name), partition });
};

function forwarder(answer: () => Promise<unknown> = () => Promise.resolve(), owners?: PartitionOwners) {
  const read = readMerchants(shops, () => '');
  if ('faults' in read) throw new Error(JSON.stringify(read.faults));
  const config = { merchants: read.merchants, kafkaTopicPrefix: 'test.' } as GatewayConfig;
  const sent: ProducerRecord[] = [];
  const warnings: unknown[][] = [];
  const send = (record: ProducerRecord) => (sent.push(record), answer());
  const metrics = new Metrics('spec');
  const log = { warn: (...warning: unknown[]) => void warnings.push(warning) } as unknown as ServiceLogger;
  const built = new CommandForwarder(config, { send } as unknown as RelayProducer, log, metrics);
  const { take, executed, published } = commandConsumer({
    ...{ merchants: shops, kafkaTopicPrefix: 'test.', forwarder: built, nowMs: Date.now() },
    ...(owners && { owners }),
  });
  return {
    ...{ sent, warnings, metrics, take, executed, published },
    merchants: read.merchants,
    forward: built.forward.bind(built),
  };
}

/** A partition that is not served before its assignment ends. */
const neverServing = () =>
  ({ isServing: () => false, whenServing: () => Promise.reject(new Error('ended')) }) as unknown as PartitionOwners;

describe('a command on another partition than its order’s', () => {
  it('is published to its order’s partition with its own key, value and headers, and with where it came from', async () => {
    const { sent, take, executed } = forwarder();
    const record = recordOf();
    await take(record);
    const { rawKey, value, headers } = record;
    const from = { 'forwarded-from': `${other}/7` };
    expect(sent).toEqual([
      { topic: `test.${topic}`, partition: own, key: rawKey, value, headers: { ...headers, ...from } },
    ]);
    expect(executed).toEqual([]);
  });

  it('keeps a signature that holds', async () => {
    const { sent, take, merchants } = forwarder();
    await take(recordOf());
    const headers = sent[0]!.headers as Record<string, string>;
    const copy = {
      topic: sent[0]!.topic,
      key: String(sent[0]!.key),
      value: sent[0]!.value,
      headers,
      timestampMs: Date.now(),
    };
    expect(await commandSignatureProblem(copy, merchants.byName(data.merchant)!, undefined)).toBe('verified');
  });

  it('keeps headers that are repeated, have no value, or are no text', async () => {
    const { sent, forward } = forwarder();
    const rawHeaders = { ce_id: [Buffer.from('a'), Buffer.from([0xff])], empty: [null] };
    await forward(recordOf({ rawHeaders }));
    expect(sent[0]!.headers).toEqual({ ...rawHeaders, 'forwarded-from': `${other}/7` });
  });

  it('keeps the next command of its key waiting until Kafka has acknowledged the copy', async () => {
    let acknowledge: (value?: unknown) => void = () => undefined;
    const { take } = forwarder(() => new Promise((resolve) => (acknowledge = resolve)));
    let isDone = false;
    const taken = take(recordOf()).then(() => (isDone = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isDone).toBe(false);
    acknowledge();
    await taken;
    expect(isDone).toBe(true);
  });

  it('is tried again where Kafka does not take the copy', async () => {
    const { take } = forwarder(() => Promise.reject(new Error('Kafka is away')));
    await expect(take(recordOf())).rejects.toThrow(RetryableError);
  });

  it('waits without the right to write it there, and a warning names topic and right, once until one was forwarded', async () => {
    const denied = () => Promise.reject(new TopicDeniedError(`test.${topic}`, 'Write', { cause: undefined }));
    const answers = [denied, denied, () => Promise.resolve(), denied];
    const { take, warnings } = forwarder(() => answers.shift()!());
    const ofRights = () =>
      warnings.filter(([, text]) => String(text).includes(`the right Write to topic test.${topic}`));
    await expect(take(recordOf())).rejects.toThrow(RetryableError);
    await expect(take(recordOf())).rejects.toThrow(RetryableError);
    expect(ofRights()).toHaveLength(1);
    await take(recordOf());
    await expect(take(recordOf())).rejects.toThrow(RetryableError);
    expect(ofRights()).toHaveLength(2);
  });

  it('does not wait for the journal of the partition on which it lies', async () => {
    const { sent, take } = forwarder(undefined, neverServing());
    await take(recordOf());
    expect(sent).toHaveLength(1);
  });

  it('is a dead letter where no copy of it fits into a record', async () => {
    const { take } = forwarder(() => Promise.reject(new RecordTooLargeError(topic, 10, 9)));
    const refused = take(recordOf());
    await expect(refused).rejects.toThrow(TerminalError);
    await expect(refused).rejects.toMatchObject({ code: 'too_large_to_forward' });
  });
});

it('executes a command on its order’s own partition where it is, also one that was forwarded', async () => {
  const { sent, take, executed } = forwarder();
  await take(recordOf({ partition: own }));
  const record = recordOf({ partition: own });
  await take({ ...record, headers: { ...record.headers, 'forwarded-from': `${other}/7` } });
  expect(sent).toEqual([]);
  expect(executed).toHaveLength(2);
});

it('executes a command on its own partition only when that is served', async () => {
  let serve: () => void = () => undefined;
  const whenServing = () => new Promise<void>((resolve) => (serve = resolve));
  const { take, executed } = forwarder(undefined, {
    isServing: () => false,
    whenServing,
  } as unknown as PartitionOwners);
  const taken = take(recordOf({ partition: own }));
  await new Promise((resolve) => setImmediate(resolve));
  expect(executed).toEqual([]);
  serve();
  await taken;
  expect(executed).toHaveLength(1);
});

it('leaves a command that waits for its partition to the next owner', async () => {
  const { take, executed } = forwarder(undefined, neverServing());
  await expect(take(recordOf({ partition: own }))).rejects.toThrow(RetryableError);
  expect(executed).toEqual([]);
});

it.each([
  ['without a key', null],
  ['with a key that names no order', 'shop-fr'],
])('rejects a command %s where it is, and names the key that it needs', async (_what, name) => {
  const { sent, take, executed, published } = forwarder(undefined, neverServing());
  const { headers } = encodeCloudEvent(aCommand('payment.authorize', data));
  await take(recordOf({ key: name, rawKey: name === null ? null : Buffer.from(name), headers }));
  expect([sent, executed]).toEqual([[], []]);
  expect(published).toMatchObject([
    {
      type: 'payment.command.rejected',
      data: { faults: [{ path: 'key', message: expect.stringContaining('merchant/orderId') as string }] },
    },
  ]);
});

it('makes a dead letter of a record without a key that names no order', async () => {
  const { sent, take } = forwarder();
  const unreadable = recordOf({ key: null, rawKey: null, value: Buffer.from('?'), headers: {} });
  await expect(take(unreadable)).rejects.toMatchObject({ code: 'unreadable' });
  expect(sent).toEqual([]);
});

it('counts forwarded commands by merchant, and warns once of each merchant with the setting that ends it', async () => {
  const { forward, metrics, warnings } = forwarder();
  for (const [merchant, orderId] of [
    ['shop-fr', 'a'],
    ['shop-fr', 'b'],
    ['shop-other', 'a'],
    ['nobody', 'a'],
    ['nobody-else', 'a'],
  ] as const)
    // prettier-ignore
    await forward(recordAbout(merchant, orderId));
  const counted = await metrics.registry.getSingleMetric('tranche_commands_forwarded_total')!.get();
  const byMerchant = counted.values.map(({ labels, value }) => [labels['merchant'], value]);
  expect(byMerchant).toEqual([
    ['shop-fr', 2],
    ['shop-other', 1],
    ['unknown', 2],
  ]);
  expect(warnings).toHaveLength(2);
  expect(warnings).toEqual([
    [expect.objectContaining({ merchant: 'shop-fr' }), expect.stringContaining('partitioner=murmur2_random')],
    [expect.objectContaining({ merchant: 'shop-other' }), expect.stringContaining('partitioner=murmur2_random')],
  ]);
});
