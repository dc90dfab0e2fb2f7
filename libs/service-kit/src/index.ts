import 'reflect-metadata';

export {
  ConfigError,
  describeConfig,
  Env,
  loadConfig,
  Part,
  rereadFromFile,
  type ChecksItself,
  type ConfigFault,
  type ProductionView,
  type Setting,
} from './config.js';
export { ANSWER_HEADER_BYTES, readingLegalHeads } from './answer-heads.js';
export { clientAddress, countedAs, isLoopbackAddress } from './client-address.js';
export { eventStream, polled } from './event-stream.js';
export { Health, Metrics, type Reason } from './health-and-metrics.js';
export { AreBrokers, KafkaConfig } from './kafka.config.js';
export { KitConfig } from './kit.config.js';
export { SERVICE_PARTS, ServiceLifetime } from './kit.module.js';
export { createLogger, LOG_LEVELS, ServiceLogger } from './logger.js';
export {
  Problem,
  PROBLEM_CONTENT_TYPE,
  problemDocument,
  tooManyRequests,
  type ProblemFault,
  type ProblemOptions,
} from './problem.js';
export { ProblemFilter, problemOf } from './problem.filter.js';
export { isLoopback } from './production/production-faults.js';
export {
  merchantsInProduction,
  SHORT_KEYS_WARNING,
  shortKeysOfMerchants,
  unsignedMerchants,
} from './production/merchants-in-production.js';
export { readServiceSettings } from './production/service-settings.js';
export { RedisClient } from './redis/redis-client.js';
export { type RedisOptions } from './redis/redis-options.js';
export { InjectRedis, RedisModule } from './redis/redis.module.js';
export { faultsOf } from './request-validation.js';
export { runService } from './run-service.js';
export { holderOfKey, Secret } from './secret.js';
export { ServiceProcess, type ServiceDefinition } from './service-process.js';
export { currentTraceId, describeSpan, injectTrace, startTracing, withSpan, withTrace } from './tracing.js';
