import { Module } from '@nestjs/common';
import { TokenApiModule } from '../token-api/token-api.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { AccountChecksController } from './account-checks.controller.js';
import { AccountsController } from './accounts.controller.js';

@Module({
  imports: [TokenApiModule, TokensModule],
  controllers: [AccountsController, AccountChecksController],
})
export class AccountsModule {}
