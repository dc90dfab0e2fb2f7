import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Caller } from '../accounts.js';
import type { RequestOfCaller } from './caller.guard.js';

export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const { caller } = context.switchToHttp().getRequest<RequestOfCaller>();
  if (caller === undefined) throw new TypeError('a route without CallerGuard has no caller');
  return caller;
});
