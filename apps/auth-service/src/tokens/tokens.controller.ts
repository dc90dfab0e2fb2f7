import { Body, Controller, Header, HttpCode, Post, UseGuards } from '@nestjs/common';
import type { Caller } from '../accounts.js';
import { AuthConfig } from '../auth.config.js';
import { accountOf } from '../callers/account-of-caller.js';
import { CallerGuard } from '../callers/caller.guard.js';
import { CurrentCaller } from '../callers/current-caller.decorator.js';
import { expiresInSeconds, type CachedToken } from './cached-token.js';
import { TokenRequest } from './token-request.dto.js';
import { TokenService } from './token.service.js';

export interface TokenAnswer {
  account: string;
  accessToken: string;
  tokenType: 'Bearer';
  expiresInSeconds: number;
  fingerprint: string;
}

@Controller('v1/tokens')
@UseGuards(CallerGuard)
export class TokensController {
  constructor(
    private readonly config: AuthConfig,
    private readonly tokens: TokenService,
  ) {}

  @Post()
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  async token(@Body() request: TokenRequest, @CurrentCaller() caller: Caller): Promise<TokenAnswer> {
    const account = accountOf(request.account, caller, this.config.accounts);
    return answerOf(account.account, await this.tokens.token(account, request.refused));
  }
}

export function answerOf(account: string, token: CachedToken): TokenAnswer {
  const { accessToken, fingerprint } = token;
  const remainingSeconds = expiresInSeconds(token, performance.now());
  return { account, accessToken, tokenType: 'Bearer', expiresInSeconds: remainingSeconds, fingerprint };
}
