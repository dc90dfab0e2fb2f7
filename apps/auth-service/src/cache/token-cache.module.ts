import { Module } from '@nestjs/common';
import { RedisModule, rereadFromFile } from '@tranche/service-kit';
import { AuthConfig } from '../auth.config.js';
import { AuthEventsModule } from '../events/auth-events.module.js';
import { EntryStore } from './entries.store.js';
import { TokenCopies } from './token-copies.cache.js';
import { TokenCache } from './token.cache.js';

/** Cached tokens: encrypted in Redis for all replicas, and copies in this process. */
@Module({
  imports: [
    AuthEventsModule,
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
  providers: [EntryStore, TokenCache, TokenCopies],
  exports: [TokenCache, TokenCopies],
})
export class TokenCacheModule {}
