import { Controller, Get, Header, UseGuards } from '@nestjs/common';
import type { Account, Caller, UsersAccount } from '../accounts.js';
import { AuthConfig } from '../auth.config.js';
import { CallerGuard } from '../callers/caller.guard.js';
import { CurrentCaller } from '../callers/current-caller.decorator.js';

export interface ListedAccount {
  account: string;
  grant: string;
  ofUsers?: true;
  scope?: string;
  scopeFrom?: string;
}

@Controller('v1/accounts')
@UseGuards(CallerGuard)
export class AccountsController {
  constructor(private readonly config: AuthConfig) {}

  @Get()
  @Header('cache-control', 'no-store')
  accounts(@CurrentCaller() { accounts: allowed }: Caller): { accounts: ListedAccount[] } {
    const { all, ofUsers } = this.config.accounts;
    const listed = [...all, ...ofUsers].filter(({ account }) => allowed.includes(account));
    return { accounts: listed.map(shown) };
  }
}

function shown(entry: Account | UsersAccount): ListedAccount {
  const { account, grant, scope, scopeFrom } = entry;
  return { account, grant, scope, scopeFrom, ...('ofUsers' in entry ? { ofUsers: true } : {}) };
}
