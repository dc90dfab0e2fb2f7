import { Problem } from '@tranche/service-kit';
import type { OperatorIdentity } from '../operations/operator-identity.js';

/** Two people are two names, whatever proved them: a key and a token of one human bear the same name (`assertNamed`). */
export const isSecondPerson = (proposedBy: string, person: string): boolean => proposedBy !== person;

/**
 * With an issuer, the same human may have a token and a key. The token's name comes from OPERATORS_OIDC_PERSON_CLAIM, so a key takes part in
 * decisions of two people only where its entry names the `person`; its entry's own name would make two people of one.
 * @throws Problem 403
 */
export function assertNamed(operator: OperatorIdentity, { oidcIssuer }: { oidcIssuer?: string }): void {
  if (oidcIssuer === undefined || operator.isPersonMissing !== true) return;
  const detail =
    'OPERATORS_OIDC_ISSUER is set, and the entry of this key in OPERATORS_FILE names no person: whether its holder is also the holder of a token is not known. ' +
    'Use a token, or set "person" of the entry to what OPERATORS_OIDC_PERSON_CLAIM says of that person.';
  throw new Problem({ status: 403, code: 'person_needed', detail });
}
