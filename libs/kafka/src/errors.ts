/** The deadline of a send has passed. `mayLand`: the record was already on its way, so it may be in the topic or still get there. */
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

/** The record alone is larger than its topic takes (`max.message.bytes`). */
export class RecordTooLargeError extends Error {
  override readonly name = 'RecordTooLargeError';

  constructor(topic: string, bytes: number, limit: number) {
    super(`a record of ${bytes} bytes is too large for ${topic}, which takes ${limit}`);
  }
}

/** Topics are created from the table, never by use: a name that does not exist is a mistake in the configuration. */
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

/** More waits to be sent than the producer keeps in memory. Nothing of this record was sent. */
export class ProducerOverloadedError extends Error {
  override readonly name = 'ProducerOverloadedError';
}

/** The producer is closed, or was closed before the record was sent. */
export class ProducerClosedError extends Error {
  override readonly name = 'ProducerClosedError';
}

/** The consumer was closed before it had started. Nothing of it is left. */
export class ConsumerClosedError extends Error {
  override readonly name = 'ConsumerClosedError';
}

/** The broker knows this member no more, or not in this generation: its partitions are others' already. */
export class MembershipLostError extends Error {
  override readonly name = 'MembershipLostError';
}

/** What was to be read is not kept any more: what is left of it would pass for all of it. */
export class RecordsDeletedError extends Error {
  override readonly name = 'RecordsDeletedError';

  constructor(partition: string, from: bigint, low: bigint) {
    super(`${partition} begins at ${low} now: its records from ${from} on were deleted`);
  }
}

/** A record of a topic whose every record counts can't be read. */
export class UnreadableRecordError extends Error {
  override readonly name = 'UnreadableRecordError';
}
