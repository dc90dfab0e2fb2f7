import { Module } from '@nestjs/common';
import type { ServiceDefinition } from '@tranche/service-kit';
import { CseConfig } from './cse.config.js';
import { CseKeysController } from './cse-keys.controller.js';
import { EncryptionKeyService } from './encryption-key.service.js';
import { KeyProviderClient } from './key-provider.client.js';
import { admitOrigins } from './origins.js';

@Module({ controllers: [CseKeysController], providers: [EncryptionKeyService, KeyProviderClient] })
export class CseModule {}

export const cseTokenService: ServiceDefinition<CseConfig> = {
  name: 'cse-token-service',
  Config: CseConfig,
  module: () => CseModule,
  port: (config) => config.port,
  managementPort: (config) => config.managementPort,
  limits: { bodyBytes: 1_024, headerBytes: 8_192 },
  prepare: (app, config) => admitOrigins(app, new Set(config.origins)),
};
