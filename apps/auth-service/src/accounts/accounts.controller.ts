import { Controller, Get, Header, UseGuards } from '@nestjs/common';
import type { Caller } from '../accounts.js';
import { AuthConfig } from '../auth.config.js';
import { CallerGuard } from '../callers/caller.guard.js';
import { CurrentCaller } from '../callers/current-caller.decorator.js';

export interface ListedAccount {
  account: string;
  grant: string;
  scope?: string;
  scopeFrom?: string;
}

@Controller('v1/accounts')
@UseGuards(CallerGuard)
export class AccountsController {
  constructor(private readonly config: AuthConfig) {}

  /** Those of the caller. */
  @Get()
  @Header('cache-control', 'no-store')
  accounts(@CurrentCaller() { accounts: allowed }: Caller): { accounts: ListedAccount[] } {
    return {
      accounts: this.config.accounts.all
        .filter(({ account }) => allowed.includes(account))
        .map(({ account, grant, scope, scopeFrom }) => ({ account, grant, scope, scopeFrom })),
    };
  }
}
