import 'reflect-metadata';

export { createKafkaClient, waitForKafka, type KafkaClient, type KafkaSettings } from './kafka-client.js';
export type { KafkaHealth, KafkaLog } from './kafka-log.js';
export type { ConsumedRecord } from './consumed-record.js';
export { BatchingProducer, type BatchingProducerOptions, type ProducedAt, type ProducerRecord } from './batching-producer.js';
export { EventAnnouncer, type Announcement, type EventAnnouncerOptions } from './event-announcer.js';
export { partitionForKey } from './partition-for-key.js';
export {
  ConsumerClosedError,
  ProduceDeadlineError,
  ProducerClosedError,
  ProducerOverloadedError,
  MembershipLostError,
  RecordTooLargeError,
  RetryableError,
  TerminalError,
  UnknownTopicError,
} from './errors.js';
export { KafkaHandler, type KafkaHandlerOptions } from './kafka-handler.js';
export { KafkaRecordContext } from './kafka-record-context.js';
export { KafkaServer, type KafkaServerOptions } from './kafka-server.js';
export { PartitionConsumer, type PartitionConsumerOptions, type PartitionHandler } from './partition-consumer.js';
export { KeyOrderedConsumer, type KeyOrderedConsumerOptions } from './key-ordered-consumer.js';
export { errorText, tell } from './error-text.js';
export { untilHandled, type HandledCall, type UntilHandledOptions } from './until-handled.js';
export { KeyOrderedPool, type PoolOptions, type Slot, type Task, type Verdict } from './key-ordered-pool.js';
export { InOrderWork, type InOrderOptions } from './in-order-work.js';
export { GroupWork, type GroupWorkOptions } from './group-work.js';
export type { CommitPoint, GroupPort, PartitionStart, TopicPartition } from './group-port.js';
export { defaultMarks, type Marks } from './watermarks.js';
export type { Assignment, Backlog, PartitionWork } from './partition-work.js';
export { decodeFinished, encodeFinished } from './gap-metadata.js';
export { stickyPlan, type Member, type Partitions } from './sticky-plan.js';
export { realTimers, type Timers } from './timers.js';
export { TailConsumer, type TailConsumerOptions } from './tail-consumer.js';
export { LogReader, type LogReaderOptions, type LogRecord } from './log-reader.js';
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
