import { Module } from '@nestjs/common';
import { KeyEventsModule } from '../events/key-events.module.js';
import { KeyProviderModule } from '../key-provider/key-provider.module.js';
import { CseRedisModule } from '../redis/cse-redis.module.js';
import { CseKeysController } from './cse-keys.controller.js';
import { EncryptionKeyService } from './encryption-key.service.js';
import { KeyChangeReporter } from './key-change-reporter.service.js';
import { KeyRequestPipe } from './key-request.pipe.js';
import { KnownKeys } from './known-keys.store.js';
import { NothingHereController } from './nothing-here.controller.js';

@Module({
  imports: [CseRedisModule, KeyEventsModule, KeyProviderModule],
  controllers: [CseKeysController, NothingHereController],
  providers: [EncryptionKeyService, KeyChangeReporter, KeyRequestPipe, KnownKeys],
})
export class KeysModule {}
