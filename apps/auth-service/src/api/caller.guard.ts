import { createParamDecorator, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { holderOfKey, isLoopbackAddress, Problem } from '@tranche/service-kit';
import type { Account, Accounts, Caller, UsersAccount } from '../accounts.js';
import { AuthConfig } from '../auth.config.js';

interface RequestOfCaller {
  headers: { authorization?: string };
  ip: string;
  protocol: string;
  caller?: Caller;
}

/** Requires a caller's service key; everybody else gets Problem 401 before the body is read. */
@Injectable()
export class CallerGuard implements CanActivate {
  constructor(private readonly config: AuthConfig) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<RequestOfCaller>();
    request.caller = holderOfKey(this.config.accounts.callers, request.headers.authorization);
    return true;
  }
}

export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const { caller } = context.switchToHttp().getRequest<RequestOfCaller>();
  if (caller === undefined) throw new TypeError('a route without CallerGuard has no caller');
  return caller;
});

/**
 * Admits requests that cannot be read on their way: over TLS that a proxy of `TRUSTED_PROXIES` terminated, or from this machine. Others get
 * Problem 403 `tls_required`; the credentials in them should be replaced.
 */
@Injectable()
export class TlsGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { ip, protocol } = context.switchToHttp().getRequest<RequestOfCaller>();
    if (protocol === 'https' || isLoopbackAddress(ip)) return true;
    throw new Problem({
      status: 403,
      code: 'tls_required',
      detail:
        'Credentials of users come over TLS only. Let a proxy of TRUSTED_PROXIES end TLS and say so in X-Forwarded-Proto.',
    });
  }
}

/** Gives the same answer for an unknown account and for one of another caller, so that callers cannot probe for names. */
export function accountOf(name: string, caller: Caller, accounts: Accounts): Account {
  return allowed(caller.accounts.includes(name) ? accounts.byName(name) : undefined);
}

export function usersAccountOf(name: string, caller: Caller, { ofUsers }: Accounts): UsersAccount {
  return allowed(caller.accounts.includes(name) ? ofUsers.find(({ account }) => account === name) : undefined);
}

function allowed<T>(account: T | undefined): T {
  if (account !== undefined) return account;
  throw new Problem({ status: 403, code: 'account_not_allowed', detail: 'This caller has no such account.' });
}
