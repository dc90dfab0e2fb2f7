import { LogReader, type LogRecord } from '@tranche/kafka';
import { KafkaParts, NextAnswer } from '../gateway-kafka.module.js';

/** The topic has one partition, so that all its records are ordered. */
const PARTITION = 0;

/**
 * State of a topic of people's decisions, folded from all its records. The process has one reader, which continues at its last offset. Callers share the
 * next read. None joins a read in progress, because that read may end before a record that was appended since.
 */
export class FoldedTopic<State> {
  readonly #reader: LogReader;
  readonly #reading = new NextAnswer(() => this.#readOn());
  #state: State;
  #next?: bigint;
  #topicId?: string;

  /**
   * @param topic with prefix
   * @param take returns why a record does not count; undefined where it counts
   */
  constructor(
    private readonly kafka: KafkaParts,
    private readonly topic: string,
    private readonly empty: () => State,
    private readonly take: (state: State, record: LogRecord) => string | undefined,
  ) {
    this.#reader = new LogReader({ client: kafka.client, topic, log: kafka.log, takesUnreadable: true });
    this.#state = empty();
  }

  /** Resolves with the state after all records that the topic holds now. */
  current(): Promise<State> {
    return this.#reading.ask();
  }

  /** @param value null writes a tombstone */
  async send(key: string, value: Buffer | null, headers: Record<string, string> = JSON_VALUE): Promise<void> {
    await this.kafka.producer.send({ topic: this.topic, partition: PARTITION, key, value, headers });
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  async #readOn(): Promise<State> {
    const { low, high: end, topicId } = await this.#reader.bounds(PARTITION);
    if (topicId !== this.#topicId) this.#readAnother(topicId);
    this.#next ??= low;
    if (end < this.#next)
      throw new Error(`${this.topic} ends at ${end}, but was read up to ${this.#next}: the log was lost or replaced`);
    for await (const records of this.#reader.read(PARTITION, this.#next, end)) {
      for (const record of records) {
        const { offset } = record;
        const fault = this.take(this.#state, record);
        if (fault !== undefined)
          this.kafka.log.warn({ topic: this.topic, offset: String(offset), fault }, 'A decision record is ignored');
        this.#next = offset + 1n;
      }
    }
    this.#next = end;
    return this.#state;
  }

  /** Forgets what a topic held that was deleted and made again, as a restart would. */
  #readAnother(topicId: string | undefined): void {
    if (this.#topicId !== undefined)
      this.kafka.log.error({ topic: this.topic }, 'The topic was made anew: what it held before is forgotten');
    this.#topicId = topicId;
    this.#state = this.empty();
    this.#next = undefined;
  }
}

const JSON_VALUE = { 'content-type': 'application/json' };
