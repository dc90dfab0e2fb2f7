import { applyDecorators, Header, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { AuditAction } from '@tranche/contracts';
import {
  assertMay,
  assertMerchant,
  OperatorSignIn,
  Requires,
  type OperatorIdentity,
  type OperatorRequest,
  type OperatorRole,
  type RouteNeeds,
} from '@tranche/operators';
import { ServiceLogger } from '@tranche/service-kit';

/** Identifies the operator and checks the role. Who looked is in the log: this service can not write to Kafka (docs/decisions/0112). */
@Injectable()
export class OperatorGuard implements CanActivate {
  constructor(
    private readonly signIn: OperatorSignIn,
    private readonly reflector: Reflector,
    private readonly log: ServiceLogger,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<OperatorRequest>();
    const needs = this.reflector.get<RouteNeeds | undefined>(Requires.KEY, context.getHandler());
    const operator = await this.signIn.operatorOf(request);
    if (needs === undefined) return false;
    assertMay(operator, needs);
    request.operator = operator;
    this.log.info({ operator: operator.person, role: operator.role, action: needs.action }, 'An operator asked');
    return true;
  }
}

export const Route = (role: OperatorRole, action: AuditAction) =>
  applyDecorators(Requires({ role, action }), Header('cache-control', 'no-store'));

/**
 * The merchants that an answer may be about: of a filter, those that it names; undefined for all.
 * @throws Problem 403 where the filter names another one than the operator's
 */
export function visibleTo(operator: OperatorIdentity, merchant?: string): readonly string[] | undefined {
  if (merchant === undefined) return operator.merchants;
  assertMerchant(operator, merchant);
  return [merchant];
}
