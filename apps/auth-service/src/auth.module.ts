import { Module } from '@nestjs/common';
import type { ServiceDefinition } from '@tranche/service-kit';
import { AccountsController } from './accounts.controller.js';
import { AuthConfig } from './auth.config.js';
import { AuthEvents } from './auth-events.producer.js';
import { CallerKeys } from './caller-keys.js';
import { EntryStore } from './entries.store.js';
import { RealmService } from './realm.service.js';
import { RenewalService } from './renewal.service.js';
import { TokenApiClient } from './token-api.client.js';
import { TokenCache } from './token.cache.js';
import { TokenCopies } from './token-copies.cache.js';
import { TokenIssuer } from './token-issuer.service.js';
import { TokenService } from './token.service.js';
import { serveTokens } from './tokens.controller.js';

@Module({
  controllers: [AccountsController],
  providers: [
    { provide: CallerKeys, useFactory: ({ accounts }: AuthConfig) => new CallerKeys(accounts.callers), inject: [AuthConfig] },
    AuthEvents,
    TokenApiClient,
    RealmService,
    TokenIssuer,
    EntryStore,
    TokenCache,
    TokenCopies,
    RenewalService,
    TokenService,
  ],
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
  prepare: serveTokens,
};
