import { Injectable } from '@nestjs/common';
import { TOPICS, topicName } from '@tranche/contracts';
import { LogReader, type KafkaClient } from '@tranche/kafka';
import { InjectKafkaClient } from '@tranche/kafka/nest';
import { JournalRecovery, recoveryRecordOf } from '@tranche/order-journal';
import { ServiceLogger } from '@tranche/service-kit';
import { GatewayConfig } from '../gateway.config.js';

const PARTITION = 0;

/** Decisions of `tranche journal` as of the start: a process reads all of the journal under the same decisions. */
@Injectable()
export class Recovery extends JournalRecovery {
  constructor(
    private readonly config: GatewayConfig,
    @InjectKafkaClient() private readonly client: KafkaClient,
    private readonly log: ServiceLogger,
  ) {
    super();
  }

  /** Must be called before the first record of the journal is read. */
  async load(): Promise<void> {
    await this.#read((record) => this.take(record));
  }

  /**
   * Must be called before the first command is taken, as a member of the projectors' group. `tranche journal` writes only while the group has no
   * member, so a record that is missing here was written during this start.
   * @throws where the journal was resumed, or a record skipped, since `load`
   */
  async assertCurrent(): Promise<void> {
    let records = 0;
    await this.#read(() => void records++);
    if (records !== this.size)
      throw new Error('`tranche journal` changed what is read of the journal during this start. Start again');
  }

  async #read(take: (record: NonNullable<ReturnType<typeof recoveryRecordOf>>) => void): Promise<void> {
    const topic = topicName(this.config.kafkaTopicPrefix, TOPICS.decisions);
    const reader = new LogReader({ client: this.client, topic, log: this.log, takesUnreadable: true });
    try {
      const from = await reader.firstKept(PARTITION);
      for await (const records of reader.read(PARTITION, from, await reader.end(PARTITION)))
        for (const { value } of records) {
          const record = recoveryRecordOf(value);
          if (record !== undefined) take(record);
        }
    } finally {
      await reader.close();
    }
  }
}
