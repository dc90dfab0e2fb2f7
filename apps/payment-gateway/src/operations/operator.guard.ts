import {
  createParamDecorator,
  Injectable,
  type CanActivate,
  type ExecutionContext,
  type CallHandler,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { AuditAction } from '@tranche/contracts';
import { compact } from '@tranche/order-journal';
import { holderOfKey, Problem } from '@tranche/service-kit';
import { tap, type Observable } from 'rxjs';
import { Clock } from '../clock.js';
import { GatewayConfig } from '../gateway.config.js';
import { Audit, aboutError, aboutRequest, aboutAnswer } from './audit.service.js';
import { OidcOperators } from './oidc-operators.service.js';
import { hasRole, type OperatorIdentity, type OperatorRole } from '../operators/operators.js';

export interface OperatorRequest {
  headers: { authorization?: string };
  params?: unknown;
  query?: unknown;
  body?: unknown;
  operator?: OperatorIdentity;
}

/** Rights that a route requires. */
export interface RouteNeeds {
  role: OperatorRole;
  /** Name of the action in the audit. */
  action: AuditAction;
}

/** Every route behind the guard must declare its needs; a route that does not refuses everybody. */
export const Requires = Reflector.createDecorator<RouteNeeds>();

/** A JSON Web Token: its header is base64url of `{"`. */
const TOKEN = /^Bearer (eyJ[\w-]{1,4096}\.[\w-]{1,8192}\.[\w-]{0,2048})$/i;

/** Identifies the operator by `Authorization: Bearer <operator key>` or by a token of the issuer, and checks the role that the route requires. */
@Injectable()
export class OperatorGuard implements CanActivate {
  constructor(
    private readonly config: GatewayConfig,
    private readonly clock: Clock,
    private readonly reflector: Reflector,
    private readonly audit: Audit,
    private readonly oidc: OidcOperators,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<OperatorRequest>();
    const needs = this.reflector.get<RouteNeeds | undefined>(Requires.KEY, context.getHandler());
    try {
      request.operator = await this.#operatorOf(request);
      if (needs === undefined) return false;
      this.#assertMay(request.operator, needs);
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

  #assertMay(operator: OperatorIdentity, needs: RouteNeeds): void {
    if (!hasRole(operator, needs.role)) {
      const detail = `This needs the role ${needs.role}; the operator has ${operator.role}.`;
      throw new Problem({ status: 403, code: 'role_needed', detail });
    }
  }

  async #operatorOf({ headers }: OperatorRequest): Promise<OperatorIdentity> {
    const { known } = this.config.operators;
    if (known === undefined && !this.oidc.isConfigured) {
      const detail =
        'Neither OPERATORS_FILE nor OPERATORS_OIDC_ISSUER is set: this gateway knows no operators, and nobody may look up or resolve anything.';
      throw new Problem({ status: 503, code: 'operators_not_configured', detail });
    }
    const token = this.oidc.isConfigured ? TOKEN.exec(headers.authorization ?? '')?.[1] : undefined;
    if (token !== undefined) return this.oidc.operatorOf(token);
    const operator = holderOfKey(known ?? [], headers.authorization);
    if (operator.notAfterMs === undefined || this.clock.nowMs() < operator.notAfterMs) return operator;
    throw new Problem({
      status: 401,
      code: 'key_expired',
      detail: 'This key has expired (notAfter).',
      headers: { 'www-authenticate': 'Bearer' },
    });
  }
}

export const CurrentOperator = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<OperatorRequest>().operator,
);

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
