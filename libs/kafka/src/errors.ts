/** The deadline of a send has passed. `mayLand`: the record was already sent, so it may be in the topic or still arrive. */
export class ProduceDeadlineError extends Error {
  override readonly name = 'ProduceDeadlineError';

  constructor(
    topic: string,
    deadlineMs: number,
    readonly mayLand: boolean,
  ) {
    super(
      `no acknowledgement from ${topic} within ${deadlineMs} ms${mayLand ? '; the record may still land' : '; the record was not sent'}`,
    );
  }
}

/** The record alone exceeds its topic's `max.message.bytes`. */
export class RecordTooLargeError extends Error {
  override readonly name = 'RecordTooLargeError';

  constructor(topic: string, bytes: number, limit: number) {
    super(`a record of ${bytes} bytes is too large for ${topic}, which takes ${limit}`);
  }
}

/** Topics are created from the contracts' table, never by use, so an unknown name is a mistake in the configuration. */
export class UnknownTopicError extends Error {
  override readonly name = 'UnknownTopicError';

  constructor(
    readonly topics: string[],
    wantedBy: string,
  ) {
    super(
      `${wantedBy}: topic ${topics.join(', ')} does not exist on this Kafka (KAFKA_TOPIC_PREFIX wrong, or the topics were not created)`,
    );
  }
}

/** This process lacks a right to the topic, which somebody must grant. */
export class TopicDeniedError extends Error {
  override readonly name = 'TopicDeniedError';

  constructor(topic: string, right: 'Write' | 'DescribeConfigs', options: { cause: unknown }) {
    super(`Kafka denies this process the right ${right} to topic ${topic}`, options);
  }
}

/** The producer's queue is full. Nothing of this record was sent. */
export class ProducerOverloadedError extends Error {
  override readonly name = 'ProducerOverloadedError';
}

/** The producer was closed before the record was acknowledged. */
export class ProducerClosedError extends Error {
  override readonly name = 'ProducerClosedError';
}

/** The consumer was closed before it had started; no member and no connection is left. */
export class ConsumerClosedError extends Error {
  override readonly name = 'ConsumerClosedError';
}

/** The broker does not know this member in this generation; other members own its partitions now. */
export class MembershipLostError extends Error {
  override readonly name = 'MembershipLostError';
}

/** The group was just joined, and kafkajs gives the generation only with the first fetch or heartbeat, within half a second. */
export class GenerationUnknownError extends Error {
  override readonly name = 'GenerationUnknownError';
}

/** A record cannot be read, in a topic where no record may be skipped. */
export class UnreadableRecordError extends Error {
  override readonly name = 'UnreadableRecordError';
}

interface KafkaJsError {
  name?: string;
  type?: string;
  retriable?: boolean;
  cause?: unknown;
}

/** kafkajs wraps what a broker said. */
export function* causes(error: unknown): Generator<KafkaJsError> {
  for (
    let depth = 0, at = error as KafkaJsError | undefined;
    depth < 5 && typeof at === 'object' && at !== null;
    depth++
  ) {
    yield at;
    at = at.cause as KafkaJsError | undefined;
  }
}

export const isDenied = (error: unknown): boolean =>
  [...causes(error)].some(({ type }) => type === 'TOPIC_AUTHORIZATION_FAILED');
