import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Caller } from '../accounts.js';
import { CallerKeys } from './caller-keys.service.js';

export interface RequestOfCaller {
  headers: { authorization?: string };
  caller?: Caller;
}

/** Requires a caller's service key; everybody else gets Problem 401 before the body is read. */
@Injectable()
export class CallerGuard implements CanActivate {
  constructor(private readonly keys: CallerKeys) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<RequestOfCaller>();
    request.caller = this.keys.callerOf(request.headers.authorization);
    return true;
  }
}
