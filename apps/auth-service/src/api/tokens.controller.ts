import { Body, Controller, Header, HttpCode, Post, UseGuards } from '@nestjs/common';
import { Secret } from '@tranche/service-kit';
import type { Caller } from '../accounts.js';
import { AuthConfig } from '../auth.config.js';
import { expiresInSeconds, type CachedToken } from '../cache/cached-token.js';
import { TokenCache } from '../cache/token.cache.js';
import { TokenIssuer } from '../token-api/token-issuer.service.js';
import { accountOf, CallerGuard, CurrentCaller, TlsGuard, usersAccountOf } from './caller.guard.js';
import { TokenRequest, UserTokenRequest } from './token-requests.dto.js';

export interface TokenAnswer {
  account: string;
  accessToken: string;
  tokenType: 'Bearer';
  expiresInSeconds: number;
  fingerprint: string;
}

@Controller('v1')
export class TokensController {
  constructor(
    private readonly config: AuthConfig,
    private readonly tokens: TokenCache,
    private readonly issuer: TokenIssuer,
  ) {}

  @Post('tokens')
  @UseGuards(CallerGuard)
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  async token(@Body() request: TokenRequest, @CurrentCaller() caller: Caller): Promise<TokenAnswer> {
    const account = accountOf(request.account, caller, this.config.accounts);
    return answerOf(account.account, await this.tokens.token(account, request.refused));
  }

  /** Tokens for users with their own credentials (password grant). Nothing is cached or announced. */
  @Post('user-tokens')
  @UseGuards(TlsGuard, CallerGuard)
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  async userToken(@Body() request: UserTokenRequest, @CurrentCaller() caller: Caller): Promise<TokenAnswer> {
    const { account, grant, scope, scopeFrom } = usersAccountOf(request.account, caller, this.config.accounts);
    const { username, password } = request;
    const user = { account, grant, username, password: new Secret(password), scope, scopeFrom };
    return answerOf(account, await this.issuer.ask(user, (...asked) => this.tokens.token(...asked)));
  }
}

function answerOf(account: string, token: CachedToken): TokenAnswer {
  const { accessToken, fingerprint } = token;
  const remainingSeconds = expiresInSeconds(token, performance.now());
  return { account, accessToken, tokenType: 'Bearer', expiresInSeconds: remainingSeconds, fingerprint };
}
