export {
  clusterIdOf,
  createKafkaClient,
  waitForKafka,
  type KafkaClient,
  type KafkaSettings,
} from './kafkajs/kafka-client.js';
export { KafkaWatch, type KafkaWatchOptions } from './kafka-watch.js';
export type { ConsumedRecord } from './consumed-record.js';
export {
  BatchingProducer,
  type BatchingProducerOptions,
  type ProducedAt,
  type ProducerRecord,
} from './produce/batching-producer.js';
export { EventAnnouncer, type Announcement, type EventAnnouncerOptions } from './produce/event-announcer.js';
export {
  ConsumerClosedError,
  ProduceDeadlineError,
  ProducerClosedError,
  ProducerOverloadedError,
  MembershipLostError,
  RecordTooLargeError,
  UnreadableRecordError,
  UnknownTopicError,
} from './errors.js';
export { KeyOrderedConsumer, type KeyOrderedConsumerOptions } from './consume/key-ordered-consumer.js';
export { untilHandled, type HandledCall, type UntilHandledOptions } from './consume/key-ordered-pool.js';
export {
  KeyOrderedPool,
  type PoolOptions,
  type HandlerResult,
  type Slot,
  type Task,
} from './consume/key-ordered-pool.js';
export { GroupWork, type GroupWorkOptions } from './consume/group-work.js';
export type { CommitPoint, GroupPort, PartitionStart, TopicPartition } from './consume/group-port.js';
export { defaultWatermarks, type Watermarks } from './consume/assigned-partition.js';
export type { Assignment, Backlog, PartitionWork } from './consume/group-port.js';
export { decodeFinished, encodeFinished } from './consume/frontier.js';
export { numberPlan, stickyPlan, type Member, type Partitions } from './consume/sticky-plan.js';
export { LogPosition } from './log/log-position.js';
export { LogFollower, type FollowedLog, type FollowedTopic, type LogFollowerOptions } from './log/log-follower.js';
export { LogReader, type LogReaderOptions, type LogRecord } from './log/log-reader.js';
export { groupMembers, type GroupMember } from './topics/offsets.js';
export {
  commitFor,
  committedOffsets,
  groupProgress,
  offsetsAt,
  topicOffsets,
  type GroupProgress,
} from './topics/offsets.js';
export { applyTopicPlan, newTopics, planTopics, type NewTopic, type TopicPlan } from './topics/plan-topics.js';
export { deleteRecords, deleteTopic } from './topics/topics.js';
export {
  checkTopics,
  ensureTopics,
  type CheckTopicsOptions,
  type EnsureTopicsOptions,
  type TopicFault,
  type TopicSettings,
  prepareTopics,
  type PrepareTopicsOptions,
} from './topics/topics.js';
