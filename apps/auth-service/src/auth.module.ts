import { Module } from '@nestjs/common';
import type { ServiceDefinition } from '@tranche/service-kit';
import { AccountsModule } from './accounts/accounts.module.js';
import { AuthConfig } from './auth.config.js';
import { TokensModule } from './tokens/tokens.module.js';

@Module({ imports: [TokensModule, AccountsModule] })
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
