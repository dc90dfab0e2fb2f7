/** What the other folders need of kafkajs: only this folder imports it. */
import kafkajs from 'kafkajs';

export type {
  Cluster,
  PartitionAssigner,
  Admin,
  Consumer,
  EachBatchPayload,
  IHeaders,
  ITopicConfig,
  KafkaMessage,
  Message,
  Producer,
  ProducerBatch,
  RecordMetadata,
} from 'kafkajs';

/** What a request about the settings of a topic names. */
export const TOPIC_RESOURCE = kafkajs.ConfigResourceTypes.TOPIC;

/** The same, of a broker. */
export const BROKER_RESOURCE = kafkajs.ConfigResourceTypes.BROKER;

/** What kafkajs gives partitions out by where nothing else is said. */
export const roundRobin: kafkajs.PartitionAssigner = (config) => kafkajs.PartitionAssigners.roundRobin(config);
