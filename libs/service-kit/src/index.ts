import 'reflect-metadata';

export {
  Env,
  ConfigError,
  describeConfig,
  loadConfig,
  Part,
  rereadFromFile,
  type ChecksItself,
  type ConfigFault,
  type EnvOptions,
  type Setting,
} from './config.js';
export { holderOfKey } from './secret.js';
export { clientAddress, countedAs, isLoopbackAddress } from './client-address.js';
export { Health, type Reason } from './health-and-metrics.js';
export { HTTP_LIMITS, type HttpLimits, type HttpOptions } from './http-adapter.js';
export { AreBrokers, KafkaConfig } from './kafka.config.js';
export { KitConfig } from './kit.config.js';
export { ConfigToken, KitModule, SERVICE_PARTS, ServiceLifetime } from './kit.module.js';
export { createLogger, LOG_LEVELS, ServiceLogger, type LogLevel } from './logger.js';
export { Metrics } from './health-and-metrics.js';
export {
  Problem,
  PROBLEM_CONTENT_TYPE,
  problemDocument,
  tooManyRequests,
  type ProblemDocument,
  type ProblemFault,
  type ProblemOptions,
} from './problem.js';
export { ProblemFilter, problemOf, sendProblem } from './problem.filter.js';
export { isSensitiveName, redact, redactText } from './redaction.js';
export { RedisClient } from './redis/redis-client.js';
export { type RedisOptions } from './redis/redis-options.js';
export { InjectRedis, RedisModule, type RedisModuleOptions } from './redis/redis.module.js';
export { faultsOf, requestValidation } from './request-validation.js';
export { isDemoValue } from './production/production-faults.js';
export { isLoopback } from './production/production-faults.js';
export {
  merchantsInProduction,
  SHORT_KEYS_WARNING,
  shortKeysOfMerchants,
  unsignedMerchants,
} from './production/merchants-in-production.js';
export { readServiceSettings, type ServiceSettings } from './production/service-settings.js';
export { runService } from './run-service.js';
export { Secret } from './secret.js';
export { ServiceProcess, ShutdownTimeoutError, type ServiceDefinition } from './service-process.js';
export {
  currentTraceId,
  injectTrace,
  startTracing,
  describeSpan,
  withSpan,
  withTrace,
  type IncomingHeaders,
} from './tracing.js';
