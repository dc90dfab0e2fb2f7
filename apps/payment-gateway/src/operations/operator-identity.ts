import { Problem } from '@tranche/service-kit';

/** Ascending: each role includes the ones before it. */
export const OPERATOR_ROLES = ['viewer', 'operator', 'approver'] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

/** The person of a request, proved by key or by token. */
export interface OperatorIdentity {
  /** Name of the person in records. Two people are two names. */
  person: string;
  /** `person` is the name of a key's entry: the human behind it is unknown. */
  isPersonMissing?: true;
  role: OperatorRole;
  /** All merchants where it is absent. */
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
