import 'reflect-metadata';

export { RetryableError, TerminalError } from './nest/handler-errors.js';
export { KafkaHandler, type KafkaHandlerOptions } from './nest/kafka-handler.js';
export { KafkaRecordContext } from './nest/kafka-record-context.js';
export { KafkaServer, type KafkaServerOptions, type OwnedTopic } from './nest/kafka-server.js';
export { InjectKafkaClient, KafkaModule, kafkaOptionsOf, type KafkaModuleOptions } from './nest/kafka.module.js';
