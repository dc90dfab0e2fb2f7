import { randomUUID } from 'node:crypto';
import { encodeCloudEvent, topicName, type TopicDefinition } from '@tranche/contracts';
import { atMost, type Log } from '@tranche/runtime';
import { Registry, type Counter } from 'prom-client';
import { ProduceDeadlineError } from '../errors.js';
import { counterOf } from '../kafka-metrics.js';
import type { BatchingProducer } from './batching-producer.js';

interface EventAnnouncerOptions {
  /** Must have no `health`, or Kafka's absence would make the service unready. The owner closes it after the announcer. */
  producer: Pick<BatchingProducer, 'send'>;
  topicPrefix: string;
  /** Settles when the topics exist. Events wait for it, each until its own deadline, so that events of the start are not lost. */
  ready?: Promise<unknown>;
  /** CloudEvents `source`: the name of the service. */
  source: string;
  log: Log;
  metrics?: Registry;
}

interface Announcement {
  type: string;
  subject?: string;
  data: object;
}

const MAX_WAITING = 1_000;
/** An event that is not acknowledged by then is dropped. */
const DEADLINE_MS = 10_000;
const LOG_AGAIN_MS = 10_000;

type DropReason = 'overloaded' | 'deadline' | 'failed' | 'closed';

/** Publishes events without delaying the work: never waits, never throws, is bounded; dropped events are counted and logged. */
export class EventAnnouncer {
  private readonly waiting = new Map<Promise<void>, () => void>();
  private readonly announced: Counter<'topic'>;
  private readonly dropped: Counter<'topic' | 'reason'>;
  private isClosed = false;
  private droppedSinceLog = 0;
  private noLogBeforeMs = 0;

  constructor(private readonly options: EventAnnouncerOptions) {
    const { metrics = new Registry() } = options;
    this.announced = counterOf(metrics, 'kafka_events_announced_total', 'Events of this service that Kafka took', [
      'topic',
    ]);
    this.dropped = counterOf(
      metrics,
      'kafka_events_dropped_total',
      'Events of this service that are on no topic, by reason',
      ['topic', 'reason'],
    );
  }

  /**
   * Creates the event's id and time.
   * @param key the record's key, as the topic's definition requires
   */
  announce(topic: TopicDefinition, key: string, { type, subject, data }: Announcement): void {
    if (this.isClosed) return this.drop(topic, type, 'closed');
    if (this.waiting.size >= MAX_WAITING) return this.drop(topic, type, 'overloaded');
    let isGivenUp = false;
    const sent: Promise<void> = this.send(topic, key, { type, subject, data })
      .then(() => {
        if (!isGivenUp) this.announced.inc({ topic: topic.name });
      })
      .catch((error: unknown) => {
        if (!isGivenUp)
          this.drop(topic, type, error instanceof ProduceDeadlineError ? 'deadline' : 'failed', String(error));
      })
      .finally(() => this.waiting.delete(sent));
    this.waiting.set(sent, () => {
      isGivenUp = true;
      this.drop(topic, type, 'closed');
    });
  }

  /** Waits for announced events, at most timeoutMs (2,000). Remaining and later ones are dropped. */
  async close(timeoutMs = 2_000): Promise<void> {
    this.isClosed = true;
    await atMost(timeoutMs, Promise.all(this.waiting.keys()));
    for (const giveUp of this.waiting.values()) giveUp();
  }

  /** Async, so that an encoding error rejects as a send error does. */
  private async send(topic: TopicDefinition, key: string, { type, subject, data }: Announcement): Promise<void> {
    const { producer, topicPrefix, source, ready } = this.options;
    const deadlineAtMs = performance.now() + DEADLINE_MS;
    const event = {
      id: randomUUID(),
      source,
      type,
      time: new Date().toISOString(),
      ...(subject === undefined ? {} : { subject }),
      data,
    };
    const record = { topic: topicName(topicPrefix, topic), key, ...encodeCloudEvent(event) };
    if (ready !== undefined) await atMost(DEADLINE_MS, ready);
    await producer.send(record, { deadlineMs: Math.max(1, deadlineAtMs - performance.now()) });
  }

  private drop(topic: TopicDefinition, type: string, reason: DropReason, error?: string): void {
    this.dropped.inc({ topic: topic.name, reason });
    this.droppedSinceLog++;
    const now = performance.now();
    if (now < this.noLogBeforeMs) return;
    this.options.log.warn(
      { topic: topic.name, type, reason, error, dropped: this.droppedSinceLog },
      'events were not announced on Kafka',
    );
    this.droppedSinceLog = 0;
    this.noLogBeforeMs = now + LOG_AGAIN_MS;
  }
}
