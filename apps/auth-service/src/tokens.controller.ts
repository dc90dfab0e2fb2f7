import { Body, Controller, Get, Header, HttpCode, Post, UseGuards } from '@nestjs/common';
import { Problem } from '@tranche/service-kit';
import { IsString, Length, Matches, ValidateIf } from 'class-validator';
import type { Account, Caller } from './accounts.js';
import { AuthConfig } from './auth.config.js';
import { CallerGuard, CurrentCaller } from './caller.guard.js';
import { expiresInSeconds } from './held-token.js';
import { TokenService } from './token.service.js';

export class TokenRequest {
  @IsString()
  @Length(1, 64)
  account: string;

  /** Fingerprint of a token that was refused. */
  @ValidateIf((request: TokenRequest) => request.refused !== undefined)
  @Matches(/^[\w-]{1,64}$/)
  refused?: string;
}

export interface TokenAnswer {
  account: string;
  accessToken: string;
  tokenType: 'Bearer';
  expiresInSeconds: number;
  fingerprint: string;
}

@Controller('v1')
@UseGuards(CallerGuard)
export class TokensController {
  constructor(
    private readonly config: AuthConfig,
    private readonly tokens: TokenService,
  ) {}

  @Post('tokens')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  async token(@CurrentCaller() caller: unknown, @Body() body: TokenRequest): Promise<TokenAnswer> {
    const account = this.#accountOf(caller as Caller, body.account);
    const token = await this.tokens.token(account, body.refused);
    return {
      account: account.account,
      accessToken: token.accessToken,
      tokenType: 'Bearer',
      expiresInSeconds: expiresInSeconds(token, performance.now()),
      fingerprint: this.tokens.fingerprint(token),
    };
  }

  @Get('accounts')
  @Header('cache-control', 'no-store')
  accounts(@CurrentCaller() caller: unknown): { accounts: { account: string; grant: string; scope?: string }[] } {
    const { accounts: allowed } = caller as Caller;
    return {
      accounts: this.config.accounts.all
        .filter(({ account }) => allowed.includes(account))
        .map(({ account, grant, scope }) => ({ account, grant, scope })),
    };
  }

  /** The same answer for an account that is unknown and for one that is not the caller's. */
  #accountOf(caller: Caller, name: string): Account {
    const account = caller.accounts.includes(name) ? this.config.accounts.byName(name) : undefined;
    if (account !== undefined) return account;
    throw new Problem({ status: 403, code: 'account_not_allowed', detail: 'This caller has no such account.' });
  }
}
