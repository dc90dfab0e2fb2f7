import { Body, Controller, Header, HttpCode, Post, UseGuards } from '@nestjs/common';
import { Problem } from '@tranche/service-kit';
import type { Account, Caller } from '../accounts.js';
import { AuthConfig } from '../auth.config.js';
import { CallerGuard } from '../callers/caller.guard.js';
import { CurrentCaller } from '../callers/current-caller.decorator.js';
import { expiresInSeconds } from './cached-token.js';
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
    const account = this.accountOf(request.account, caller);
    const token = await this.tokens.token(account, request.refused);
    const { accessToken, fingerprint } = token;
    const remainingSeconds = expiresInSeconds(token, performance.now());
    return {
      account: account.account,
      accessToken,
      tokenType: 'Bearer',
      expiresInSeconds: remainingSeconds,
      fingerprint,
    };
  }

  /** The same answer for an account that is unknown and for one that is not the caller's. */
  private accountOf(name: string, caller: Caller): Account {
    const account = caller.accounts.includes(name) ? this.config.accounts.byName(name) : undefined;
    if (account !== undefined) return account;
    throw new Problem({ status: 403, code: 'account_not_allowed', detail: 'This caller has no such account.' });
  }
}
