import { Controller, Get, Header, Param, UseGuards } from '@nestjs/common';
import type { Account, Caller, UsersAccount } from '../accounts.js';
import { AuthConfig } from '../auth.config.js';
import type { CachedToken } from '../token-api/cached-token.js';
import { TokenCache } from '../cache/token.cache.js';
import { TokenApiClient } from '../token-api/token-api.client.js';
import { withToken } from '../token-api/token-issuer.service.js';
import { accountOf, CallerGuard, CurrentCaller } from './caller.guard.js';

interface ListedAccount {
  account: string;
  grant: string;
  ofUsers?: true;
  scope?: string;
  scopeFrom?: string;
}

/** Lists the caller's accounts, and asks the token API about an account's own token: its realm path, and its validity. */
@Controller('v1/accounts')
@UseGuards(CallerGuard)
export class AccountsController {
  constructor(
    private readonly config: AuthConfig,
    private readonly api: TokenApiClient,
    private readonly tokens: TokenCache,
  ) {}

  @Get()
  @Header('cache-control', 'no-store')
  accounts(@CurrentCaller() { accounts: allowed }: Caller): { accounts: ListedAccount[] } {
    const { all, ofUsers } = this.config.accounts;
    const listed = [...all, ...ofUsers].filter(({ account }) => allowed.includes(account));
    return { accounts: listed.map(shown) };
  }

  /** GET {auth_url}/iam/realms/my. */
  @Get(':account/realm')
  @Header('cache-control', 'no-store')
  async realm(
    @Param('account') name: string,
    @CurrentCaller() caller: Caller,
  ): Promise<{ account: string; realmPath: string }> {
    const realmPath = await this.#ask(name, caller, (account, token) => this.api.realmPath(account, token));
    return { account: name, realmPath };
  }

  /** GET {auth_url}/iam/identities/my; only its status counts. */
  @Get(':account/identity')
  @Header('cache-control', 'no-store')
  async identity(
    @Param('account') name: string,
    @CurrentCaller() caller: Caller,
  ): Promise<{ account: string; isValid: true }> {
    await this.#ask(name, caller, (account, token) => this.api.checkIdentity(account, token));
    return { account: name, isValid: true };
  }

  async #ask<T>(name: string, caller: Caller, ask: (account: Account, token: CachedToken) => Promise<T>): Promise<T> {
    const account = accountOf(name, caller, this.config.accounts);
    return withToken(
      account,
      (token) => ask(account, token),
      (...asked) => this.tokens.token(...asked),
    );
  }
}

function shown(entry: Account | UsersAccount): ListedAccount {
  const { account, grant, scope, scopeFrom } = entry;
  return { account, grant, scope, scopeFrom, ...('ofUsers' in entry ? { ofUsers: true } : {}) };
}
