import { openEntriesFile } from '@tranche/contracts';
import { Env, Part } from '@tranche/service-kit';
import { Max, Min } from 'class-validator';
import { OidcConfig } from './oidc/oidc.config.js';
import { readOperators, rolesInProduction, type Operator } from './operators.js';

/** Key files are named relative to the operators file. */
export function loadOperators(path: string): Operator[] {
  const { document, readFile } = openEntriesFile(path);
  return readOperators(document, readFile);
}

/** Settings of the operators' access to the management port, and of decisions by two people. */
export class OperatorsConfig {
  @Env('OPERATORS_FILE', {
    doc: 'JSON list of operators, `[{ "operator": "alice", "key" or "keyFile": "…", "role"?, "merchants"?, "notAfter"?, "person"? }]`, keys of at least 32 characters, roles `viewer` (the default; production mode wants each entry to name its role), `operator` and `approver` (demo: `config/operators.demo.json`); without it, and without an issuer of tokens, the operators\' routes answer 503',
    optional: true,
    file: true,
    read: loadOperators,
    inProduction: rolesInProduction,
  })
  known?: Operator[];

  @Env('APPROVAL_WITHIN_MS', {
    doc: 'milliseconds for which a resolution that needs a second person can be approved',
    default: 86_400_000,
  })
  @Min(60_000)
  @Max(604_800_000)
  approvalWithinMs: number;

  @Part()
  oidc: OidcConfig;
}
