import { Problem } from '@tranche/service-kit';
import type { OidcConfig } from '../operations/oidc/oidc.config.js';
import type { OperatorIdentity } from '../operations/operator-identity.js';

/** Two people are two names. A key and a token of one human carry the same name (`assertNamed`). */
export const isSecondPerson = (proposedBy: string, person: string): boolean => proposedBy !== person;

/**
 * Refuses an operator whose human name is unknown. With an issuer, one human may have a token and a key. The token's name comes from
 * OPERATORS_OIDC_PERSON_CLAIM, so a key may take part in decisions of two people only where its entry names the `person`. Otherwise one human could
 * count as two people.
 * @throws Problem 403
 */
export function assertNamed(operator: OperatorIdentity, { issuer }: Pick<OidcConfig, 'issuer'>): void {
  if (issuer === undefined || operator.isPersonMissing !== true) return;
  const detail =
    'OPERATORS_OIDC_ISSUER is set, and the entry of this key in OPERATORS_FILE names no person: whether its holder is also the holder of a token is not known. ' +
    'Use a token, or set "person" of the entry to what OPERATORS_OIDC_PERSON_CLAIM says of that person.';
  throw new Problem({ status: 403, code: 'person_needed', detail });
}
