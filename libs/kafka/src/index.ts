export {
  clusterIdOf,
  createKafkaClient,
  waitForKafka,
  type KafkaClient,
  type KafkaSettings,
} from './kafkajs/kafka-client.js';
export type { ConsumedRecord } from './core/record.js';
export { BatchingProducer } from './produce/batching-producer.js';
export type { ProducerRecord } from './produce/produce-batch.js';
export { EventAnnouncer } from './produce/event-announcer.js';
export {
  ConsumerClosedError,
  MembershipLostError,
  ProduceDeadlineError,
  ProducerClosedError,
  ProducerOverloadedError,
  RecordTooLargeError,
  TopicDeniedError,
  UnknownTopicError,
  UnreadableRecordError,
} from './errors.js';
export { KeyOrderedConsumer, type KeyOrderedConsumerOptions } from './consume/key-ordered-consumer.js';
export {
  KeyOrderedPool,
  untilHandled,
  type HandledCall,
  type Slot,
  type UntilHandledOptions,
} from './core/key-ordered-pool.js';
export type { HandlerResult, Task } from './core/key-ordered-work.js';
export { GroupWork, type GroupWorkOptions } from './core/group-work.js';
export type * from './core/group-port.js';
export { decodeFinished } from './core/frontier.js';
export { numberPlan, stickyPlan, type Partitions } from './core/sticky-plan.js';
export { WorkStanding } from './core/work-standing.js';
export { LogPosition } from './core/log-position.js';
export { LogFollower } from './log/log-follower.js';
export { LogReader, type LogRecord } from './log/log-reader.js';
export {
  commitFor,
  committedOffsets,
  groupMembers,
  groupProgress,
  offsetsAt,
  topicOffsets,
  topicProgress,
  type GroupMember,
} from './topics/offsets.js';
export { applyTopicPlan, newTopics, planTopics, type NewTopic, type TopicPlan } from './topics/plan-topics.js';
export { waitingRecords } from './log/waiting-records.js';
export { checkTopics, ensureTopics } from './topics/topics.js';
