import { Module } from '@nestjs/common';
import type { ServiceDefinition } from '@tranche/service-kit';
import { AuthConfig } from './auth.config.js';
import { CallerGuard } from './caller.guard.js';
import { TokenApiClient } from './token-api.client.js';
import { TokenCache } from './token.cache.js';
import { TokenService } from './token.service.js';
import { TokensController } from './tokens.controller.js';

@Module({ controllers: [TokensController], providers: [CallerGuard, TokenApiClient, TokenCache, TokenService] })
export class AuthModule {}

export const authService: ServiceDefinition<AuthConfig> = {
  name: 'auth-service',
  Config: AuthConfig,
  module: () => AuthModule,
  port: (config) => config.port,
  managementPort: (config) => config.managementPort,
  limits: { bodyBytes: 4_096 },
};
