import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { holderOfKey, Problem } from '@tranche/service-kit';
import type { OidcOperators } from './oidc-operators.js';
import type { OperatorsConfig } from './operators.config.js';
import { hasRole, type OperatorIdentity, type OperatorRole } from './operators.js';

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
  /** Name of the action in the audit or in the log. */
  action: string;
}

/** Every route behind a guard of operators must declare its needs; a route that does not refuses everybody. */
export const Requires = Reflector.createDecorator<RouteNeeds>();

export const CurrentOperator = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<OperatorRequest>().operator,
);

/** @throws Problem 403 */
export function assertMay(operator: OperatorIdentity, needs: Pick<RouteNeeds, 'role'>): void {
  if (hasRole(operator, needs.role)) return;
  const detail = `This needs the role ${needs.role}; the operator has ${operator.role}.`;
  throw new Problem({ status: 403, code: 'role_needed', detail });
}

/** A JSON Web Token: its header is base64url of `{"`. */
const TOKEN = /^Bearer (eyJ[\w-]{1,4096}\.[\w-]{1,8192}\.[\w-]{0,2048})$/i;

/** Identifies the operator by `Authorization: Bearer <operator key>` or by a token of the issuer. */
export class OperatorSignIn {
  constructor(
    private readonly config: Pick<OperatorsConfig, 'known'>,
    private readonly clock: { nowMs(): number },
    private readonly oidc: Pick<OidcOperators, 'isConfigured' | 'operatorOf'>,
  ) {}

  /** @throws Problem 401 for a stranger, 503 where the service knows no operators */
  async operatorOf({ headers }: Pick<OperatorRequest, 'headers'>): Promise<OperatorIdentity> {
    const { known } = this.config;
    if (known === undefined && !this.oidc.isConfigured) {
      const detail =
        'Neither OPERATORS_FILE nor OPERATORS_OIDC_ISSUER is set: this service knows no operators, and nobody may look up or resolve anything.';
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
