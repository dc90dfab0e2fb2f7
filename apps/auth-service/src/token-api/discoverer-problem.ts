import { Problem } from '@tranche/service-kit';

/**
 * The discovering account has no token; its failure is announced already. `isRemembered`: also store it for the account that needs the
 * realm.
 */
export class DiscovererProblem extends Problem {
  constructor(
    cause: Problem,
    readonly isRemembered: boolean,
  ) {
    const { status, code, detail, headers } = cause;
    super({ status, code, detail, headers, cause });
  }
}
