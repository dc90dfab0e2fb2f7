import { Controller, Get, Header, Headers } from '@nestjs/common';
import { AuthConfig } from './auth.config.js';
import { CallerKeys } from './caller-keys.js';

export interface ListedAccount {
  account: string;
  grant: string;
  scope?: string;
  scopeFrom?: string;
}

@Controller('v1/accounts')
export class AccountsController {
  constructor(
    private readonly config: AuthConfig,
    private readonly callers: CallerKeys,
  ) {}

  /** Those of the caller. */
  @Get()
  @Header('cache-control', 'no-store')
  accounts(@Headers('authorization') authorization?: string): { accounts: ListedAccount[] } {
    const { accounts: allowed } = this.callers.callerOf(authorization);
    return {
      accounts: this.config.accounts.all
        .filter(({ account }) => allowed.includes(account))
        .map(({ account, grant, scope, scopeFrom }) => ({ account, grant, scope, scopeFrom })),
    };
  }
}
