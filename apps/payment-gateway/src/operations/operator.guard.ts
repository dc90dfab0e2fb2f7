import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { AuditAction } from '@tranche/contracts';
import { OperatorNotes, Requires, type OperatorRequest, type RouteNeeds } from '@tranche/operators';
import { compact } from '@tranche/order-journal';
import { tap, type Observable } from 'rxjs';
import { Audit, aboutError, aboutRequest, aboutAnswer } from './audit.service.js';

/** Records who was refused. What somebody was let in for, the interceptor records. */
@Injectable()
export class AuditedRefusals extends OperatorNotes {
  constructor(private readonly audit: Audit) {
    super();
  }

  letIn(): void {}

  refused(request: OperatorRequest, { action }: RouteNeeds, error: unknown): void {
    const { person: operator, role } = request.operator ?? {};
    const about = { ...aboutRequest(request), ...aboutError(error) };
    this.audit.note(compact({ action: action as AuditAction, operator, role, ...about }));
  }
}

/** Writes audit records of a request: one before anything is changed, one with the result. A list that was read has none (docs/decisions/0075). */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  constructor(
    private readonly audit: Audit,
    private readonly reflector: Reflector,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<OperatorRequest>();
    const isDryRun = (request.query as { dryRun?: unknown } | undefined)?.dryRun === 'true';
    const action = isDryRun
      ? 'what_if.read'
      : (this.reflector.get(Requires, context.getHandler()).action as AuditAction);
    const { person: operator, role } = request.operator ?? {};
    const who = compact({ action, operator, role, ...aboutRequest(request) });
    const isRead = action.endsWith('.read');
    const isOfOne = Object.keys(request.params ?? {}).length > 0;
    if (!isRead) await this.audit.before({ ...who, result: 'asked' });
    return next.handle().pipe(
      tap({
        next: (answer) => (isOfOne || !isRead) && this.audit.note({ ...who, ...aboutAnswer(answer) }),
        error: (error) => this.audit.note({ ...who, ...aboutError(error) }),
      }),
    );
  }
}
