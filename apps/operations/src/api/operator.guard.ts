import { applyDecorators, Header, Injectable } from '@nestjs/common';
import {
  assertMerchant,
  OperatorNotes,
  Requires,
  type OperatorIdentity,
  type OperatorRequest,
  type OperatorRole,
  type RouteNeeds,
} from '@tranche/operators';
import { ServiceLogger } from '@tranche/service-kit';

/** Notes in the log who changed something, or looked at one order or job: this service writes to Kafka only its jobs (docs/decisions/0112). */
@Injectable()
export class LoggedOperators extends OperatorNotes {
  constructor(private readonly log: ServiceLogger) {
    super();
  }

  letIn({ operator, params }: OperatorRequest, { action }: RouteNeeds): void {
    const about = Object.values(params ?? {}).join('/');
    if (about === '' && action.endsWith('.read')) return;
    this.log.info({ operator: operator?.person, role: operator?.role, action, about }, 'An operator asked');
  }

  refused(): void {}
}

export const Route = (role: OperatorRole, action: string) =>
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
