import { Module } from '@nestjs/common';
import { ServiceLogger, type ServiceDefinition } from '@tranche/service-kit';
import { CseConfig } from './cse.config.js';
import { serveKeys } from './cse-keys.controller.js';
import { EncryptionKeyService } from './encryption-key.service.js';
import { Exchanges } from './exchanges.controller.js';
import { KeyEvents } from './key-events.producer.js';
import { KeyNews } from './key-news.service.js';
import { KeyProviderClient } from './key-provider.client.js';
import { KnownKeys } from './known-keys.store.js';
import { RequestLimits } from './limits/request-limits.store.js';
import { REDIS, RedisLifecycle, redisOf } from './redis.store.js';

@Module({
  providers: [
    { provide: REDIS, useFactory: redisOf, inject: [CseConfig, ServiceLogger] },
    RedisLifecycle,
    EncryptionKeyService,
    Exchanges,
    KeyEvents,
    KeyNews,
    KeyProviderClient,
    KnownKeys,
    RequestLimits,
  ],
})
export class CseModule {}

export const cseTokenService: ServiceDefinition<CseConfig> = {
  name: 'cse-token-service',
  // The trace that a browser brings is not taken on: without an exporter there is none.
  tracesOnlyWhenExported: true,
  Config: CseConfig,
  module: () => CseModule,
  port: (config) => config.port,
  managementPort: (config) => config.managementPort,
  limits: { bodyBytes: 1_024, headerBytes: 8_192 },
  prepare: serveKeys,
};
