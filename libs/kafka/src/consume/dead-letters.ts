import { reasonOf, type Log } from '@tranche/runtime';
import { RecordTooLargeError } from '../errors.js';
import type { KafkaMetrics } from '../kafka-metrics.js';
import type { BatchingProducer } from '../produce/batching-producer.js';
import { deadLetter, type DeadLetterReason } from './dead-letter.js';
import { allHeaders } from './consumed-record.js';
import type { Task } from './key-ordered-pool.js';
import type { Assignment } from './partition-work.js';

export interface DeadLettersOptions {
  /** Its owner closes it; this class does not. */
  producer: BatchingProducer;
  topicPrefix: string;
  /** Topic name without prefix. */
  deadLetterTopic: string;
  log: Log;
  groupId: string;
}

/** Writes dead letters, and reports assignments that are blocked because a dead letter could not be written. */
export class DeadLetters {
  private readonly troubles = new Map<Assignment, string>();

  constructor(
    private readonly options: DeadLettersOptions,
    private readonly metrics: KafkaMetrics,
  ) {}

  get trouble(): string | undefined {
    for (const trouble of this.troubles.values()) return trouble;
    return undefined;
  }

  /** Returns false if the dead letter could not be written. */
  async write(task: Pick<Task, 'record' | 'assignment'>, reason: DeadLetterReason): Promise<boolean> {
    const { producer, topicPrefix, deadLetterTopic, log, groupId } = this.options;
    const { record, assignment } = task;
    const at = {
      groupId,
      topic: record.topic,
      partition: record.partition,
      offset: String(record.offset),
      code: reason.code,
    };
    try {
      await producer.send(deadLetter(topicPrefix + deadLetterTopic, topicPrefix + record.topic, record, reason), {
        deadlineMs: 10_000,
      });
    } catch (error) {
      // A record compressed in its topic may be too large uncompressed; without content the dead letter still gives its position.
      if (error instanceof RecordTooLargeError) {
        if (record.value !== null) return this.write({ assignment, record: { ...record, value: null } }, reason);
        if (record.rawKey !== null || Object.keys(allHeaders(record)).length > 0)
          return this.write({ assignment, record: { ...record, rawKey: null, headers: {}, rawHeaders: {} } }, reason);
      }
      this.standsStill(assignment, `a dead letter cannot be written: ${reasonOf(error)}`);
      log.error({ ...at, error: String(error) }, 'a dead letter cannot be written; the partition stands still');
      return false;
    }
    this.troubles.delete(assignment);
    this.metrics.deadLetters.inc({ group: groupId, topic: record.topic, code: reason.code });
    this.metrics.handled.inc({ group: groupId, topic: record.topic, result: 'dead_letter' });
    log.error({ ...at, attempts: reason.attempts, reason: reason.message }, 'a record went to the dead letters');
    return true;
  }

  private standsStill(assignment: Assignment, trouble: string): void {
    const { signal } = assignment;
    if (signal.aborted) return;
    if (!this.troubles.has(assignment))
      signal.addEventListener('abort', () => this.troubles.delete(assignment), { once: true });
    this.troubles.set(assignment, trouble);
  }
}
