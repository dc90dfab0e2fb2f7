import {
  Injectable,
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { assertMay, OperatorSignIn, Requires, type OperatorRequest, type RouteNeeds } from '@tranche/operators';
import { compact } from '@tranche/order-journal';
import { tap, type Observable } from 'rxjs';
import { Audit, aboutError, aboutRequest, aboutAnswer } from './audit.service.js';

/** Identifies the operator, checks the role that the route requires, and records who was refused. */
@Injectable()
export class OperatorGuard implements CanActivate {
  constructor(
    private readonly signIn: OperatorSignIn,
    private readonly reflector: Reflector,
    private readonly audit: Audit,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<OperatorRequest>();
    const needs = this.reflector.get<RouteNeeds | undefined>(Requires.KEY, context.getHandler());
    try {
      request.operator = await this.signIn.operatorOf(request);
      if (needs === undefined) return false;
      assertMay(request.operator, needs);
      return true;
    } catch (error) {
      const { person: operator, role } = request.operator ?? {};
      if (needs)
        this.audit.note(
          compact({ action: needs.action, operator, role, ...aboutRequest(request), ...aboutError(error) }),
        );
      throw error;
    }
  }
}

/** Writes audit records of a request: one before anything is changed, one with the result. */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  constructor(
    private readonly audit: Audit,
    private readonly reflector: Reflector,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<OperatorRequest>();
    const isDryRun = (request.query as { dryRun?: unknown } | undefined)?.dryRun === 'true';
    const action = isDryRun ? 'what_if.read' : this.reflector.get(Requires, context.getHandler()).action;
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
