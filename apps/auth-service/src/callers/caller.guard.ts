import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { holderOfKey } from '@tranche/service-kit';
import type { Caller } from '../accounts.js';
import { AuthConfig } from '../auth.config.js';

export interface RequestOfCaller {
  headers: { authorization?: string };
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
