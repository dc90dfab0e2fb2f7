import 'reflect-metadata';

export { createKafkaClient, waitForKafka, type KafkaClient, type KafkaSettings } from './kafka-client.js';
export type { KafkaHealth, KafkaLog } from './kafka-log.js';
export type { ConsumedRecord } from './consumed-record.js';
export { BatchingProducer, type BatchingProducerOptions, type ProducedAt, type ProducerRecord } from './batching-producer.js';
export { partitionForKey } from './partition-for-key.js';
export {
  ProduceDeadlineError,
  ProducerClosedError,
  ProducerOverloadedError,
  RecordTooLargeError,
  RetryableError,
  TerminalError,
  UnknownTopicError,
} from './errors.js';
export { KafkaHandler, type KafkaHandlerOptions } from './kafka-handler.js';
export { KafkaRecordContext, KafkaServer, type KafkaServerOptions } from './kafka-server.js';
export { PartitionConsumer, type PartitionConsumerOptions } from './partition-consumer.js';
export { TailConsumer, type TailConsumerOptions } from './tail-consumer.js';
export { committedOffsets, topicOffsets } from './offsets.js';
export {
  checkTopics,
  ensureTopics,
  type CheckTopicsOptions,
  type EnsureTopicsOptions,
  type TopicFault,
  type TopicSettings,
  prepareTopics,
  type PrepareTopicsOptions,
} from './topics.js';
