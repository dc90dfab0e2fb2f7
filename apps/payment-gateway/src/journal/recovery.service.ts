import { Injectable } from '@nestjs/common';
import { HIGHEST_JOURNAL_EPOCH, TOPICS, topicName } from '@tranche/contracts';
import { LogReader, topicOffsets } from '@tranche/kafka';
import { JournalRecovery, recoveryRecordOf } from '@tranche/order-journal';
import { KafkaParts } from '../gateway-kafka.module.js';
import { GatewayConfig } from '../gateway.config.js';

const PARTITION = 0;
const OUTDATED = '`tranche journal` changed what is read of the journal since this process started: start it again';

/** Decisions of `tranche journal` as of the start: a process reads all of the journal under the same decisions. */
@Injectable()
export class Recovery extends JournalRecovery {
  readonly #topic: string;
  #end = 0n;
  #checking: Promise<void> | undefined;
  #isOutdated = false;

  constructor(
    private readonly config: GatewayConfig,
    private readonly kafka: KafkaParts,
  ) {
    super();
    this.#topic = topicName(config.kafkaTopicPrefix, TOPICS.decisions);
    // A restart reads the decisions anew.
    kafka.health.addLiveness('journal decisions', () => (this.#isOutdated ? OUTDATED : undefined));
  }

  /** The epoch with which sequences of events start: the one of the setting, and one more for each resume (R10). */
  get epoch(): number {
    return Math.min(this.config.journalEpoch + this.resumes.count, HIGHEST_JOURNAL_EPOCH);
  }

  /** Must be called before the first record of the journal is read. */
  async load(): Promise<void> {
    await this.#read((record) => this.take(record));
  }

  /**
   * Must be called whenever this process became a member of its group, before it takes a command. `tranche journal` writes only while the group has
   * no member, so a record that is missing here was written while this process was none.
   * @throws where the journal was resumed, or a record skipped, since `load`
   */
  assertCurrent(): Promise<void> {
    return (this.#checking ??= this.#read(() => (this.#isOutdated = true))
      .then(() => {
        if (this.#isOutdated) throw new Error(OUTDATED);
      })
      .finally(() => (this.#checking = undefined)));
  }

  /** Reads what was written since the last read. */
  async #read(take: (record: NonNullable<ReturnType<typeof recoveryRecordOf>>) => void): Promise<void> {
    const { client, log } = this.kafka;
    const { low = 0n, high = 0n } = (await topicOffsets(client, this.#topic)).get(PARTITION) ?? {};
    if (high === this.#end) return;
    const reader = new LogReader({ client, log, topic: this.#topic, takesUnreadable: true });
    try {
      for await (const records of reader.read(PARTITION, this.#end > low ? this.#end : low, high))
        for (const { value } of records) {
          const record = recoveryRecordOf(value);
          if (record !== undefined) take(record);
        }
    } finally {
      await reader.close();
    }
    this.#end = high;
  }
}
