import { Module } from '@nestjs/common';
import { AuthEventsModule } from '../events/auth-events.module.js';
import { RealmService } from './realm.service.js';
import { TokenApiClient } from './token-api.client.js';
import { TokenIssuer } from './token-issuer.service.js';

@Module({
  imports: [AuthEventsModule],
  providers: [TokenApiClient, RealmService, TokenIssuer],
  exports: [TokenApiClient, RealmService, TokenIssuer],
})
export class TokenApiModule {}
