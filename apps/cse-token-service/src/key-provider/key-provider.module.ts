import { Module } from '@nestjs/common';
import { KeyProviderClient } from './key-provider.client.js';

@Module({ providers: [KeyProviderClient], exports: [KeyProviderClient] })
export class KeyProviderModule {}
