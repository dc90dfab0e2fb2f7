import { Problem } from '@tranche/service-kit';

/**
 * The account that discovers the realm has no token now. `isRemembered`: its failure was already reported and stored, so it must not be
 * reported again.
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
