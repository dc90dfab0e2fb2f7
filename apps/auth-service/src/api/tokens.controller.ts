import { IsDefined, IsString, Length, Matches, ValidateIf } from 'class-validator';
import { Body, Controller, Header, HttpCode, Post, UseGuards } from '@nestjs/common';
import { Secret } from '@tranche/service-kit';
import type { Caller } from '../accounts.js';
import { AuthConfig } from '../auth.config.js';
import { expiresInSeconds, type CachedToken } from '../token-api/cached-token.js';
import { TokenCache } from '../cache/token.cache.js';
import { TokenIssuer } from '../token-api/token-issuer.service.js';
import { accountOf, CallerGuard, CurrentCaller, TlsGuard, usersAccountOf } from './caller.guard.js';

/** Body of POST /v1/tokens. A field's decorators apply from last to first, up to the first fault. */
export class TokenRequest {
  @Length(1, 64, { message: 'must have 1 to 64 characters' })
  @IsString({ message: 'must be a text' })
  @IsDefined({ message: 'is missing' })
  account: string;

  /** Fingerprint of a refused token. */
  @Matches(/^[\w-]{1,64}$/, { message: 'must be a fingerprint' })
  @IsString({ message: 'must be a text' })
  @ValidateIf((_, refused) => refused !== undefined)
  refused?: string;
}

/** Body of POST /v1/user-tokens with the user's own credentials. */
export class UserTokenRequest {
  @Length(1, 64, { message: 'must have 1 to 64 characters' })
  @IsString({ message: 'must be a text' })
  @IsDefined({ message: 'is missing' })
  account: string;

  @Length(1, 255, { message: 'must have 1 to 255 characters' })
  @IsString({ message: 'must be a text' })
  @IsDefined({ message: 'is missing' })
  username: string;

  @Length(1, 1_024, { message: 'must have 1 to 1,024 characters' })
  @IsString({ message: 'must be a text' })
  @IsDefined({ message: 'is missing' })
  password: string;
}

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
