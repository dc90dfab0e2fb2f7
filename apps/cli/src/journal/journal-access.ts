import { TOPICS, topicName, type TopicDefinition } from '@tranche/contracts';
import {
  BatchingProducer,
  createKafkaClient,
  groupMembers,
  LogReader,
  type GroupMember,
  type KafkaClient,
} from '@tranche/kafka';
import { JournalRecovery, recoveryRecordOf, type JournalEntry } from '@tranche/order-journal';
import { silentLog } from '@tranche/runtime';
import { createLogger, KitConfig, loadConfig, RedisClient, rereadFromFile } from '@tranche/service-kit';
import { CliConfig } from '../cli.config.js';
import { kafkaAnswers, redisAnswers, unlessStalled } from '../outside.js';
import { IndexMarkers } from './index-markers.js';

/** The gateway's group whose commit of a journal partition says how far events were published. */
const GATEWAYS = 'payment-gateway';
const NOTIFICATIONS = `${GATEWAYS}.notifications`;

/** Connections to everything that holds something of the journal. */
export class JournalAccess {
  /** Decisions of earlier runs, as a gateway would read them. */
  readonly recovery = new JournalRecovery();
  readonly #readers: LogReader[] = [];
  #journal?: LogReader;
  #producer?: BatchingProducer;

  private constructor(
    readonly config: CliConfig,
    readonly client: KafkaClient,
    readonly index: IndexMarkers,
    private readonly redis: RedisClient,
  ) {}

  /** @throws CannotTellError where Kafka or Redis does not answer */
  static async open(config: CliConfig = loadConfig(CliConfig), kit: KitConfig = loadConfig(KitConfig)) {
    // The gateways' user may read in groups of this name only.
    const client = createKafkaClient({ ...config.kafka, clientId: `${GATEWAYS}.cli` }, silentLog);
    await kafkaAnswers(client);
    const redis = new RedisClient({
      url: config.redisUrl,
      currentUrl: rereadFromFile(config, 'redisUrl'),
      name: 'cli',
      ...kit.redisTopology,
      ...(kit.redisCaFile === undefined ? {} : { caFile: kit.redisCaFile }),
      log: createLogger({ name: 'tranche-cli', level: 'silent' }),
    });
    const access = new JournalAccess(config, client, new IndexMarkers(redis, config), redis);
    try {
      await redisAnswers(redis, redisSettingOf(kit));
      await access.#readDecisions();
      return access;
    } catch (cause) {
      await access.close();
      throw cause;
    }
  }

  get journal(): string {
    return this.topic(TOPICS.journal);
  }

  get gatewayGroup(): string {
    return this.config.kafkaTopicPrefix + GATEWAYS;
  }

  /** Group whose commit of a partition says which notifications became evidence in the journal. */
  get notificationsGroup(): string {
    return this.config.kafkaTopicPrefix + NOTIFICATIONS;
  }

  get producer(): BatchingProducer {
    return (this.#producer ??= new BatchingProducer({ client: this.client, log: silentLog }));
  }

  topic(definition: TopicDefinition): string {
    return topicName(this.config.kafkaTopicPrefix, definition);
  }

  /** Processes that may work with the journal now. */
  members(): Promise<GroupMember[]> {
    return groupMembers(this.client, [this.gatewayGroup, this.notificationsGroup], this.topic(TOPICS.decisions));
  }

  reader(topic: string): LogReader {
    const reader = new LogReader({ client: this.client, topic, log: silentLog, takesUnreadable: true });
    this.#readers.push(reader);
    return reader;
  }

  /** Yields journal records as a gateway reads them: records that were skipped before are replaced. One read of a partition at a time. */
  async *read(
    partition: number,
    from: bigint,
    until: bigint,
  ): AsyncGenerator<(JournalEntry & { unreadable?: string })[]> {
    this.#journal ??= this.reader(this.journal);
    const read = unlessStalled(this.journal, this.client, this.#journal.read(partition, from, until));
    for await (const records of read) yield records.map((record) => this.recovery.skipped.substitute(record));
  }

  /** Redis TIME, milliseconds since the epoch. */
  async redisTimeMs(): Promise<number> {
    const [first] = await this.redis.sendToEach<[string, string]>(['TIME']);
    const [seconds, micros] = first!.answer;
    return Number(seconds) * 1000 + Number(micros) / 1000;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#readers.map((reader) => reader.close()), this.#producer?.close(), this.redis.close()]);
  }

  async #readDecisions(): Promise<void> {
    const reader = this.reader(this.topic(TOPICS.decisions));
    const [from, until] = [await reader.firstKept(0), await reader.end(0)];
    const read = unlessStalled(this.topic(TOPICS.decisions), this.client, reader.read(0, from, until));
    for await (const records of read)
      for (const { value } of records) {
        const record = recoveryRecordOf(value);
        if (record !== undefined) this.recovery.take(record);
      }
  }
}

/** The setting that says where Redis is. */
const redisSettingOf = ({ redisTopology }: KitConfig): string => {
  if (redisTopology.clusterNodes !== undefined) return 'REDIS_CLUSTER_NODES';
  return redisTopology.sentinels === undefined ? 'REDIS_URL' : 'REDIS_SENTINEL_NODES';
};
