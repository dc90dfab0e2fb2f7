import { openEntriesFile } from '@tranche/contracts';
import { Env, Part, isLoopback } from '@tranche/service-kit';
import { IsDefined, Matches, ValidateIf } from 'class-validator';
import { readOperators, rolesInProduction, type Operator, OPERATOR_ROLES, type OperatorRole } from './operators.js';

const CLAIM = /^[\w.:/-]{1,128}$/;
const claim = () => Matches(CLAIM, { message: 'must be the name of a claim' });
const ifIssuer = () => ValidateIf(({ issuer }: OidcConfig) => issuer !== undefined);

/** True for `https` and for this machine: on plain HTTP an attacker on the network could answer with keys of their own. */
export const isSafeAddress = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));

/** Settings of the issuer whose tokens identify operators, beside the keys of the operators file. */
export class OidcConfig {
  @Env('OPERATORS_OIDC_ISSUER', {
    doc: 'issuer (OpenID Connect) whose tokens operators may bring instead of a key, https unless on this machine; exactly as its tokens name it',
    optional: true,
    read: readIssuer,
  })
  issuer?: string;

  @Env('OPERATORS_OIDC_AUDIENCE', {
    doc: 'audience (`aud`) that the tokens must have; required with an issuer',
    optional: true,
  })
  @ifIssuer()
  @IsDefined({ message: 'must be set with OPERATORS_OIDC_ISSUER: another service’s tokens must not count here' })
  audience?: string;

  @Env('OPERATORS_OIDC_ROLES', {
    doc: 'what a value of the role claim allows, `VALUE=viewer`, `VALUE=operator` or `VALUE=approver`, comma-separated; required with an issuer',
    optional: true,
    read: readRoles,
  })
  @ifIssuer()
  @IsDefined({ message: 'must be set with OPERATORS_OIDC_ISSUER: nobody would have a role' })
  roles?: ReadonlyMap<string, OperatorRole>;

  @Env('OPERATORS_OIDC_ROLE_CLAIM', { doc: 'claim with the roles, a text or a list', default: 'roles' })
  @claim()
  roleClaim: string;

  @Env('OPERATORS_OIDC_PERSON_CLAIM', {
    doc: 'claim that names the person, one that no user can change; `person` of a key must be the same, and a key without it takes part in no decision of two people',
    default: 'sub',
  })
  @claim()
  personClaim: string;

  @Env('OPERATORS_OIDC_MERCHANTS_CLAIM', {
    doc: 'claim with the list of merchants that the person may act for; all of them if not set',
    optional: true,
  })
  @ValidateIf(({ merchantsClaim }: OidcConfig) => merchantsClaim !== undefined)
  @claim()
  merchantsClaim?: string;
}

function readIssuer(text: string): string {
  if (!URL.canParse(text) || !isSafeAddress(new URL(text)))
    throw new Error('must be an https URL, or http on this machine');
  return text;
}

function readRoles(text: string): ReadonlyMap<string, OperatorRole> {
  const pairs = text.split(',').map((pair) => {
    const at = pair.lastIndexOf('=');
    return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const;
  });
  const isRole = (role: string): role is OperatorRole => (OPERATOR_ROLES as readonly string[]).includes(role);
  if (!pairs.every(([value, role]) => value !== '' && isRole(role)))
    throw new Error(`must be VALUE=ROLE, comma-separated, with the roles ${OPERATOR_ROLES.join(', ')}`);
  if (new Set(pairs.map(([value]) => value)).size < pairs.length) throw new Error('has a value twice');
  return new Map(pairs as (readonly [string, OperatorRole])[]);
}

/** Key files are named relative to the operators file. */
export function loadOperators(path: string): Operator[] {
  const { document, readFile } = openEntriesFile(path);
  return readOperators(document, readFile);
}

/** Settings that say who the operators are. */
export class OperatorsConfig {
  @Env('OPERATORS_FILE', {
    doc: 'JSON list of operators, `[{ "operator": "alice", "key" or "keyFile": "…", "role"?, "merchants"?, "notAfter"?, "person"? }]`, keys of at least 32 characters, roles `viewer` (the default; production mode wants each entry to name its role), `operator` and `approver` (demo: `config/operators.demo.json`); without it, and without an issuer of tokens, the operators\' routes answer 503',
    optional: true,
    file: true,
    read: loadOperators,
    inProduction: rolesInProduction,
  })
  known?: Operator[];

  @Part()
  oidc: OidcConfig;
}
