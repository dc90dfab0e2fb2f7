import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { holderOfKey } from '@tranche/service-kit';
import type { Caller } from '../accounts.js';
import { AuthConfig } from '../auth.config.js';

export interface RequestOfCaller {
  headers: { authorization?: string };
  /** Set by `CallerGuard`. */
  caller?: Caller;
}

/** Lets in whoever brings the service key of a caller: everybody else gets Problem 401 before anything of the body is looked at. */
@Injectable()
export class CallerGuard implements CanActivate {
  constructor(private readonly config: AuthConfig) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<RequestOfCaller>();
    request.caller = holderOfKey(this.config.accounts.callers, request.headers.authorization);
    return true;
  }
}
