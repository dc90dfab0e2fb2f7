import { Injectable } from '@nestjs/common';
import { COMMAND_TOPICS, decodeCloudEvent } from '@tranche/contracts';
import { headerTexts, LogReader, topicOffsets, type KafkaClient, type LogRecord } from '@tranche/kafka';
import { InjectKafkaClient } from '@tranche/kafka/nest';
import { untilUp } from '@tranche/runtime';
import { ServiceLifetime, ServiceLogger } from '@tranche/service-kit';
import { GatewayConfig } from '../gateway.config.js';
import { JournalDecisions } from '../decisions/journal-decisions.service.js';

/**
 * Reads which commands the command topics held before two people resumed a journal partition (docs/decisions/0107). It reads once, in the background
 * of the start; until it ends, commands of such a partition wait. Once retention has deleted those commands, there is nothing to read.
 */
@Injectable()
export class PublishedBefore {
  #isRead = false;

  constructor(
    private readonly config: GatewayConfig,
    @InjectKafkaClient() private readonly client: KafkaClient,
    private readonly decisions: JournalDecisions,
    private readonly lifetime: ServiceLifetime,
    private readonly log: ServiceLogger,
  ) {}

  get isRead(): boolean {
    return this.#isRead;
  }

  /** Must be called after the decisions were loaded. */
  start(): void {
    const { log } = this;
    const { stopping: signal } = this.lifetime;
    if (this.decisions.resumes.isEmpty) return void (this.#isRead = true);
    untilUp('What the command topics hold of before a resume', () => this.#read(), { log, signal }).then(
      (records) => {
        this.#isRead = true;
        log.info({ records }, 'Read what the command topics hold of before a journal partition was resumed');
      },
      // The retries end only with a stop.
      () => undefined,
    );
  }

  async #read(): Promise<number> {
    let records = 0;
    for (const { name } of Object.values(COMMAND_TOPICS)) records += await this.#readTopic(name);
    return records;
  }

  async #readTopic(name: string): Promise<number> {
    const { client, log } = this;
    const topic = this.config.kafkaTopicPrefix + name;
    const { stopping } = this.lifetime;
    const reader = new LogReader({ client, topic, log, takesUnreadable: true });
    const close = () => void reader.close();
    stopping.addEventListener('abort', close);
    let records = 0;
    try {
      for (const [partition, { low, high }] of await topicOffsets(client, topic)) {
        const end = this.decisions.resumes.endOf({ topic: name, partition });
        const until = end < high ? end : high;
        if (low >= until) continue;
        for await (const slice of reader.read(partition, low, until)) {
          for (const record of slice) this.#take(record, { topic: name, partition });
          records += slice.length;
        }
      }
    } finally {
      stopping.removeEventListener('abort', close);
      await reader.close();
    }
    return records;
  }

  /** A record whose key is not its order's was rejected before, so it is left out. */
  #take({ key, value, rawHeaders, offset }: LogRecord, topicPartition: { topic: string; partition: number }): void {
    const { resumes } = this.decisions;
    if (key === null || !resumes.isPlacedBefore(key, { ...topicPartition, offset })) return;
    const id = decodeCloudEvent({ value, headers: headerTexts(rawHeaders) }).event?.id;
    if (id !== undefined) resumes.addCopy(key, id, { ...topicPartition, offset });
  }
}
