import { isDenied, ProducerClosedError, RecordTooLargeError, TopicDeniedError, UnknownTopicError } from '../errors.js';
import {
  type Message,
  type RecordMetadata,
  TOPIC_RESOURCE,
  type Admin,
  missingTopics,
  withAdmin,
  type KafkaClient,
} from '../kafkajs/kafka-client.js';
import type { PartitionedMessage } from '../kafkajs/producer-connection.js';
import type { HeaderValue } from '../core/record.js';
import { writableHeaders, withTraceHeaders } from '../kafkajs/record-headers.js';

export interface ProducerRecord {
  /** Topic name with prefix. */
  topic: string;
  /** Computed from the key (murmur2) if absent. */
  partition?: number;
  key: string | Buffer | null;
  value: Buffer | null;
  /** null: a header without a value. A list: the header is repeated. */
  headers?: Readonly<Record<string, HeaderValue | readonly HeaderValue[]>>;
}

export interface ProducedAt {
  partition: number;
  offset: bigint;
}

export class MaxMessageBytes {
  private readonly bytes = new Map<string, number>();

  constructor(private readonly client: KafkaClient) {}

  has(topic: string): boolean {
    return this.bytes.has(topic);
  }

  of(topic: string): number | undefined {
    return this.bytes.get(topic);
  }

  /** Returns why nothing can be sent to some of these topics; creates none. With an empty list it only checks that Kafka answers. */
  learn(topics: readonly string[]): Promise<Map<string, Error>> {
    return withAdmin(this.client, async (admin) => {
      if (topics.length === 0) await admin.describeCluster();
      const missing = await missingTopics(admin, topics);
      const refused = new Map<string, Error>(
        missing.map((topic) => [topic, new UnknownTopicError([topic], 'sending')]),
      );
      // One by one: Kafka answers nothing about the others where it denies one.
      for (const topic of topics.filter((name) => !refused.has(name))) {
        try {
          this.bytes.set(topic, await maxBytesOf(admin, topic));
        } catch (error) {
          if (!isDenied(error)) throw error;
          refused.set(topic, new TopicDeniedError(topic, 'DescribeConfigs', { cause: error }));
        }
      }
      return refused;
    });
  }
}

export interface Pending {
  record: ProducerRecord;
  message: PartitionedMessage;
  bytes: number;
  sent: boolean;
  settled: boolean;
  resolve(at: ProducedAt): void;
  reject(error: Error): void;
}

/** Bytes for Kafka's own framing within a topic's max.message.bytes, per batch and per record. */
const batchOverheadBytes = 200;
const recordOverheadBytes = 40;

/** Takes up to `maxRecords` and, per topic, the bytes of one batch; held records stay. A record that is too large by itself is rejected. */
export function takeBatch(
  queue: Pending[],
  limits: MaxMessageBytes,
  maxRecords: number,
  isHeld: (pending: Pending) => boolean,
): Pending[] {
  const batch: Pending[] = [];
  const topicBytes = new Map<string, number>();
  let [looked, staying] = [0, 0];
  for (const pending of queue) {
    const { topic } = pending.record;
    const limit = limits.of(topic);
    if (batch.length === maxRecords || limit === undefined) break;
    if (!pending.settled && pending.bytes + batchOverheadBytes > limit)
      pending.reject(new RecordTooLargeError(topic, pending.bytes, limit));
    // Moved to the front, in the same order.
    if (!pending.settled && isHeld(pending)) queue[staying++] = pending;
    else if (!pending.settled) {
      const bytes = (topicBytes.get(topic) ?? batchOverheadBytes) + pending.bytes;
      if (bytes > limit) break;
      topicBytes.set(topic, bytes);
      batch.push(pending);
    }
    looked++;
  }
  queue.splice(staying, looked - staying);
  return batch;
}

async function maxBytesOf(admin: Admin, topic: string): Promise<number> {
  const configNames = ['max.message.bytes'];
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: TOPIC_RESOURCE, name: topic, configNames }],
  });
  const entry = resources[0]?.configEntries.find(({ configName }) => configNames.includes(configName));
  return Number(entry?.configValue ?? 1_000_000);
}

export function messageOf({ key, value, headers, partition }: ProducerRecord): Message {
  return {
    key,
    value,
    headers: writableHeaders(withTraceHeaders(headers)),
    ...(partition === undefined ? {} : { partition }),
  };
}

export function byTopic(batch: Pending[]): { topic: string; messages: Message[] }[] {
  const topics = new Map<string, Message[]>();
  for (const { record, message } of batch) {
    const messages = topics.get(record.topic);
    if (messages) messages.push(message);
    else topics.set(record.topic, [message]);
  }
  return [...topics].map(([topic, messages]) => ({ topic, messages }));
}

/** `TOPIC/PARTITION`. A failure may come before kafkajs has chosen the partition. */
export const partitionOf = ({ record, message }: Pending): string =>
  `${record.topic}/${record.partition ?? message.chosenPartition}`;

/**
 * Groups records by partition. kafkajs treats a partition that was acknowledged as sent, but reports only another one's failure; retrying
 * all together would duplicate its records.
 */
export function byPartition(batch: Pending[]): Pending[][] {
  const groups = new Map<string, Pending[]>();
  for (const pending of batch) {
    const topicPartition = partitionOf(pending);
    const group = groups.get(topicPartition);
    if (group) group.push(pending);
    else groups.set(topicPartition, [pending]);
  }
  return [...groups.values()];
}

/** Offset = the partition's base offset + the record's index within its partition. Returns the records without an answer. */
export function settleAcknowledged(batch: Pending[], answers: RecordMetadata[]): Pending[] {
  const nextOffset = new Map<string, bigint>();
  for (const { topicName, partition, baseOffset } of answers) {
    const topicPartition = `${topicName}/${partition}`;
    if (baseOffset !== undefined && !nextOffset.has(topicPartition)) nextOffset.set(topicPartition, BigInt(baseOffset));
  }
  return batch.filter((pending) => {
    const partition = pending.message.chosenPartition!;
    const topicPartition = `${pending.record.topic}/${partition}`;
    const offset = nextOffset.get(topicPartition);
    if (offset === undefined) return true;
    nextOffset.set(topicPartition, offset + 1n);
    pending.resolve({ partition, offset });
    return false;
  });
}

export function rejectAsClosed(open: readonly Pending[]): void {
  for (const pending of open) {
    const fate = pending.sent ? 'it may still land' : 'it was not sent';
    pending.reject(
      new ProducerClosedError(
        `the producer was closed before ${pending.record.topic} acknowledged the record; ${fate}`,
      ),
    );
  }
}

export function bytesOnWire({ key, value, headers }: Message): number {
  let bytes = recordOverheadBytes + lengthOf(key) + lengthOf(value);
  for (const [name, header] of Object.entries(headers ?? {}))
    for (const value of Array.isArray(header) ? header : [header])
      bytes += Buffer.byteLength(name) + lengthOf(value) + 6;
  return bytes;
}

function lengthOf(content: string | Buffer | null | undefined): number {
  return content === null || content === undefined ? 0 : Buffer.byteLength(content);
}
