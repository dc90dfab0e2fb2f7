import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { compact } from '@tranche/order-journal';
import { tap, type Observable } from 'rxjs';
import { Requires, type OperatorRequest } from '../operator.guard.js';
import { Audit } from './audit.service.js';
import { aboutAnswer, aboutError, aboutRequest } from './audited-request.js';

/** Writes audit records of a request: one before anything is changed, one with the result. */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  constructor(
    private readonly audit: Audit,
    private readonly reflector: Reflector,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<OperatorRequest>();
    const { action } = this.reflector.get(Requires, context.getHandler());
    const { person: operator, role } = request.operator ?? {};
    const who = compact({ action, operator, role, ...aboutRequest(request) });
    if (!action.endsWith('.read')) await this.audit.before({ ...who, result: 'asked' });
    return next.handle().pipe(
      tap({
        next: (answer) => this.audit.note({ ...who, ...aboutAnswer(answer) }),
        error: (error) => this.audit.note({ ...who, ...aboutError(error) }),
      }),
    );
  }
}
