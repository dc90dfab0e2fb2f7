import { createParamDecorator, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { holderOfKey, Problem } from '@tranche/service-kit';
import { GatewayConfig } from '../gateway.config.js';
import type { Operator } from './operators.js';

interface OperatorRequest {
  headers: { authorization?: string };
  operator?: Operator;
}

/** `Authorization: Bearer <operator key>`: the key says who it is. */
@Injectable()
export class OperatorGuard implements CanActivate {
  constructor(private readonly config: GatewayConfig) {}

  canActivate(context: ExecutionContext): boolean {
    const { operators } = this.config;
    if (operators === undefined) {
      const detail =
        'OPERATORS_FILE is not set: this gateway knows no operators, and nobody may look up or resolve anything.';
      throw new Problem({ status: 503, code: 'operators_not_configured', detail });
    }
    const request = context.switchToHttp().getRequest<OperatorRequest>();
    request.operator = holderOfKey(operators, request.headers.authorization);
    return true;
  }
}

/** Name of the operator whose key came with the request. */
export const CurrentOperator = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<OperatorRequest>().operator?.operator,
);
