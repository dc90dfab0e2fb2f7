/** The types of kafkajs for other folders; only this folder imports kafkajs. */
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

export const TOPIC_RESOURCE = kafkajs.ConfigResourceTypes.TOPIC;

export const BROKER_RESOURCE = kafkajs.ConfigResourceTypes.BROKER;

export const roundRobin: kafkajs.PartitionAssigner = (config) => kafkajs.PartitionAssigners.roundRobin(config);
