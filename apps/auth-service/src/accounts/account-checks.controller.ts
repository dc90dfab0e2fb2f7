import { Controller, Get, Header, Param, UseGuards } from '@nestjs/common';
import { Problem } from '@tranche/service-kit';
import type { Account, Caller } from '../accounts.js';
import { AuthConfig } from '../auth.config.js';
import { accountOf } from '../callers/account-of-caller.js';
import { CallerGuard } from '../callers/caller.guard.js';
import { CurrentCaller } from '../callers/current-caller.decorator.js';
import { TokenApiClient } from '../token-api/token-api.client.js';
import type { CachedToken } from '../tokens/cached-token.js';
import { TokenService } from '../tokens/token.service.js';

/** Asks the token API about an account's own token: its realm path, and its validity. */
@Controller('v1/accounts/:account')
@UseGuards(CallerGuard)
export class AccountChecksController {
  constructor(
    private readonly config: AuthConfig,
    private readonly api: TokenApiClient,
    private readonly tokens: TokenService,
  ) {}

  /** GET {auth_url}/iam/realms/my. */
  @Get('realm')
  @Header('cache-control', 'no-store')
  async realm(
    @Param('account') name: string,
    @CurrentCaller() caller: Caller,
  ): Promise<{ account: string; realmPath: string }> {
    const account = accountOf(name, caller, this.config.accounts);
    return { account: name, realmPath: await this.#withToken(account, (token) => this.api.realmPath(account, token)) };
  }

  /** GET {auth_url}/iam/identities/my; only its status counts. */
  @Get('identity')
  @Header('cache-control', 'no-store')
  async identity(
    @Param('account') name: string,
    @CurrentCaller() caller: Caller,
  ): Promise<{ account: string; isValid: true }> {
    const account = accountOf(name, caller, this.config.accounts);
    await this.#withToken(account, (token) => this.api.checkIdentity(account, token));
    return { account: name, isValid: true };
  }

  /** A cached token may have been revoked, so a refusal is retried once with another token. */
  async #withToken<T>(account: Account, ask: (token: CachedToken) => Promise<T>): Promise<T> {
    const token = await this.tokens.token(account);
    try {
      return await ask(token);
    } catch (error) {
      const isCached = account.grant !== 'password';
      if (!(error instanceof Problem) || error.code !== 'auth_refused' || !isCached) throw error;
      return ask(await this.tokens.token(account, token.fingerprint));
    }
  }
}
