import { Injectable } from '@nestjs/common';
import { parseOrderKey } from '@tranche/contracts';
import { RecordTooLargeError, TopicDeniedError, type ConsumedRecord } from '@tranche/kafka';
import { TerminalError } from '@tranche/kafka/nest';
import { journalPartition } from '@tranche/order-journal';
import { Metrics, ServiceLogger } from '@tranche/service-kit';
import { RelayProducer } from '../gateway-kafka.module.js';
import { GatewayConfig } from '../gateway.config.js';
import { merchantLabel, merchantLabels } from '../merchant-label.js';

/** Header of a forwarded command: partition and offset where it was first published. Nothing is judged by it. */
const FORWARDED_FROM = 'forwarded-from';
/**
 * Publishes a command that lies in another partition than its order's to the order's own, whose owner executes it. Key, value and headers stay,
 * so a signature holds. Publishers that use another partitioner than murmur2 would otherwise lose the order of an order's commands.
 */
@Injectable()
export class CommandForwarder {
  readonly #forwarded;
  readonly #warned = new Set<string>();
  /** Topics whose commands wait for a right. */
  readonly #denied = new Set<string>();

  constructor(
    private readonly config: GatewayConfig,
    private readonly producer: RelayProducer,
    private readonly log: ServiceLogger,
    metrics: Metrics,
  ) {
    this.#forwarded = metrics.counterFromZero({
      name: 'tranche_commands_forwarded_total',
      help: 'Commands that lay on another partition than their order’s and were published to it, by merchant: their publisher should set the partitioner murmur2_random',
      labels: { merchant: merchantLabels(config.merchants) },
    });
  }

  /**
   * Resolves with `forwarded` once the command is in its order's partition. The next command of its key waits for that, so their order stays.
   * A command without a key that names an order (`no_order`) stays where it is: reading it says what is wrong.
   */
  async forward(record: ConsumedRecord): Promise<'forwarded' | 'own' | 'no_order'> {
    const { key, rawKey, value, topic, partition, offset, headers, rawHeaders } = record;
    const name = parseOrderKey(key ?? '');
    if (key === null || name === undefined) return 'no_order';
    if (journalPartition(key) === partition) return 'own';
    const from = { [FORWARDED_FROM]: `${partition}/${offset}` };
    const { kafkaTopicPrefix } = this.config;
    const copy = { topic: kafkaTopicPrefix + topic, partition: journalPartition(key), key: rawKey, value };
    try {
      await this.producer.send({ ...copy, headers: { ...(rawHeaders ?? headers), ...from } });
    } catch (error) {
      if (error instanceof TopicDeniedError) this.#warnOfDenial(copy.topic, error);
      if (!(error instanceof RecordTooLargeError)) throw error;
      throw new TerminalError('too_large_to_forward', 'is too large to be published to the partition of its order');
    }
    this.#denied.delete(copy.topic);
    this.#report(name.merchant, record);
    return 'forwarded';
  }

  #warnOfDenial(topic: string, { message }: TopicDeniedError): void {
    if (this.#denied.has(topic)) return;
    this.#denied.add(topic);
    this.log.warn(
      { topic },
      `Commands on other partitions than their orders’ wait: ${message} (\`tranche acls\` lists what to grant)`,
    );
  }

  #report(merchant: string, { topic, partition }: ConsumedRecord): void {
    const { merchants } = this.config;
    this.#forwarded.inc({ merchant: merchantLabel(merchants, merchant) });
    if (merchants.byName(merchant) === undefined || this.#warned.has(merchant)) return;
    this.#warned.add(merchant);
    this.log.warn(
      { merchant, topic, partition },
      'Commands of this merchant lie on other partitions than their orders’ and are forwarded: in their publisher set partitioner=murmur2_random, or name the partition where the topic has more than 12',
    );
  }
}
