import { Module } from '@nestjs/common';
import { TokenCacheModule } from '../cache/token-cache.module.js';
import { TokenApiModule } from '../token-api/token-api.module.js';
import { RenewalService } from './renewal.service.js';
import { TokenService } from './token.service.js';
import { TokensController } from './tokens.controller.js';
import { UserTokensController } from './user-tokens.controller.js';

@Module({
  imports: [TokenCacheModule, TokenApiModule],
  controllers: [TokensController, UserTokensController],
  providers: [RenewalService, TokenService],
  exports: [TokenService],
})
export class TokensModule {}
