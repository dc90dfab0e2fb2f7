import { Body, Controller, Header, HttpCode, Post, UseGuards } from '@nestjs/common';
import { Secret } from '@tranche/service-kit';
import type { Caller } from '../accounts.js';
import { AuthConfig } from '../auth.config.js';
import { usersAccountOf } from '../callers/account-of-caller.js';
import { CallerGuard } from '../callers/caller.guard.js';
import { CurrentCaller } from '../callers/current-caller.decorator.js';
import { TlsGuard } from '../callers/tls.guard.js';
import { RealmService } from '../token-api/realm.service.js';
import { TokenApiClient } from '../token-api/token-api.client.js';
import { TokenService } from './token.service.js';
import { answerOf, type TokenAnswer } from './tokens.controller.js';
import { UserTokenRequest } from './user-token-request.dto.js';

/** Tokens for users with their own credentials (password grant). Nothing is cached or announced. */
@Controller('v1/user-tokens')
@UseGuards(TlsGuard, CallerGuard)
export class UserTokensController {
  constructor(
    private readonly config: AuthConfig,
    private readonly api: TokenApiClient,
    private readonly realms: RealmService,
    private readonly tokens: TokenService,
  ) {}

  @Post()
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  async token(
    @Body() { account: name, username, password }: UserTokenRequest,
    @CurrentCaller() caller: Caller,
  ): Promise<TokenAnswer> {
    const { account, grant, scope, scopeFrom } = usersAccountOf(name, caller, this.config.accounts);
    const user = { account, grant, username, password: new Secret(password), scope, scopeFrom };
    const realmPath = await this.realms.pathFor(user, (discoverer, refused) => this.tokens.token(discoverer, refused));
    return answerOf(account, await this.api.askForToken(user, realmPath));
  }
}
