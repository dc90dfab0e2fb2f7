import 'reflect-metadata';

export {
  KafkaHandler,
  KafkaRecordContext,
  RetryableError,
  TerminalError,
  type KafkaHandlerOptions,
} from './nest/kafka-handler.js';
export { KafkaServer, type KafkaServerOptions, type OwnedTopic } from './nest/kafka-server.js';
export { InjectKafkaClient, KafkaModule, kafkaOptionsOf, type KafkaModuleOptions } from './nest/kafka.module.js';
