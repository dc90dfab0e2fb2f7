import type { ProducerRecord } from '../produce/batching-producer.js';
import type { ConsumedRecord } from './consumed-record.js';

export interface DeadLetterReason {
  /** Stable, for machines. */
  code: string;
  /** For people; never a value from the record. */
  message: string;
  attempts: number;
}

/** The original bytes and headers, and beside them where they came from and why they are here. */
export function deadLetter(
  topic: string,
  originalTopic: string,
  record: ConsumedRecord,
  reason: DeadLetterReason,
): ProducerRecord {
  return {
    topic,
    key: record.rawKey,
    value: record.value,
    headers: {
      ...record.headers,
      'dead-letter-topic': originalTopic,
      'dead-letter-partition': String(record.partition),
      'dead-letter-offset': String(record.offset),
      'dead-letter-timestamp': String(record.timestampMs),
      'dead-letter-code': reason.code,
      'dead-letter-message': reason.message.slice(0, 500),
      'dead-letter-attempts': String(reason.attempts),
    },
  };
}
