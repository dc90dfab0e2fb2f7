import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Caller } from '../accounts.js';
import { CallerKeys } from './caller-keys.service.js';

export interface RequestOfCaller {
  headers: { authorization?: string };
  /** Set by `CallerGuard`. */
  caller?: Caller;
}

/** Lets in whoever brings the service key of a caller: everybody else gets Problem 401 before anything of the body is looked at. */
@Injectable()
export class CallerGuard implements CanActivate {
  constructor(private readonly keys: CallerKeys) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<RequestOfCaller>();
    request.caller = this.keys.callerOf(request.headers.authorization);
    return true;
  }
}
