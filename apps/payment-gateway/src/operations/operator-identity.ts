import { Problem } from '@tranche/service-kit';

/** Each may do what the one before may. */
export const OPERATOR_ROLES = ['viewer', 'operator', 'approver'] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

/** Who asks, whatever proved it. */
export interface OperatorIdentity {
  /** The name that records bear. Two people are two names. */
  person: string;
  /** `person` is the name of a key's entry: no one said which human it is. */
  isPersonMissing?: true;
  role: OperatorRole;
  /** All of them where it is missing. */
  merchants?: readonly string[];
}

export const hasRole = ({ role }: OperatorIdentity, needed: OperatorRole): boolean =>
  OPERATOR_ROLES.indexOf(role) >= OPERATOR_ROLES.indexOf(needed);

export const mayAct = ({ merchants }: OperatorIdentity, merchant: string): boolean =>
  merchants === undefined || merchants.includes(merchant);

/** @throws Problem 403 */
export function assertMerchant(operator: OperatorIdentity, merchant: string): void {
  if (mayAct(operator, merchant)) return;
  const detail = 'This operator has other merchants.';
  throw new Problem({ status: 403, code: 'merchant_not_allowed', detail });
}
