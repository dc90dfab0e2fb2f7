import { createParamDecorator, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Problem } from '@tranche/service-kit';
import type { Caller } from './accounts.js';
import { AuthConfig } from './auth.config.js';

interface CallerRequest {
  headers: { authorization?: string };
  caller?: Caller;
}

/** `Authorization: Bearer <service key>`. Every key is compared, in constant time, whichever fits. */
@Injectable()
export class CallerGuard implements CanActivate {
  constructor(private readonly config: AuthConfig) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<CallerRequest>();
    const key = /^Bearer ([\x21-\x7e]{1,256})$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
    request.caller = this.config.accounts.callers.filter((caller) => caller.key.equals(key))[0];
    if (request.caller !== undefined) return true;
    throw new Problem({
      status: 401,
      code: 'unauthorized',
      detail: 'A known service key is needed: Authorization: Bearer <key>.',
      headers: { 'www-authenticate': 'Bearer' },
    });
  }
}

export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<CallerRequest>().caller,
);
