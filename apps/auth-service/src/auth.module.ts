import { Module } from '@nestjs/common';
import { TOPICS } from '@tranche/contracts';
import { KafkaModule, kafkaOptionsOf } from '@tranche/kafka/nest';
import { RedisModule, rereadFromFile, SERVICE_PARTS, type ServiceDefinition } from '@tranche/service-kit';
import { AccountsController } from './api/accounts.controller.js';
import { TokensController } from './api/tokens.controller.js';
import { AuthEvents, TokenIssuer } from './token-api/token-issuer.service.js';
import { AuthConfig } from './auth.config.js';
import { EncryptedEntries } from './cache/encrypted-entries.store.js';
import { EntryStore } from './cache/entries.store.js';
import { TokenCache } from './cache/token.cache.js';
import { TokenApiClient } from './token-api/token-api.client.js';

@Module({
  imports: [
    KafkaModule.forRootAsync({
      inject: [AuthConfig, ...SERVICE_PARTS],
      useFactory: kafkaOptionsOf({
        clientId: 'auth-service',
        topics: [TOPICS.authEvents],
        announces: true,
        closeTimeoutMs: 2_000,
      }),
    }),
    RedisModule.forRootAsync({
      inject: [AuthConfig],
      useFactory: (config: AuthConfig) => ({
        url: config.redisUrl,
        currentUrl: rereadFromFile(config, 'redisUrl'),
        name: 'tokens',
        answerMs: config.redisAnswerMs,
        isRequired: true,
      }),
    }),
  ],
  controllers: [TokensController, AccountsController],
  providers: [AuthEvents, TokenApiClient, TokenIssuer, EntryStore, EncryptedEntries, TokenCache],
})
export class AuthModule {}

export const authService: ServiceDefinition<AuthConfig> = {
  name: 'auth-service',
  // Following a trace through every promise costs a third of a request.
  tracesOnlyWhenExported: true,
  Config: AuthConfig,
  module: () => AuthModule,
  port: (config) => config.port,
  managementPort: (config) => config.managementPort,
  limits: { bodyBytes: 4_096 },
  validation: { stopAtFirstError: true },
};
