import { Problem } from '@tranche/service-kit';

/** The account that discovers the realm has no token now. That is told and remembered of that account, `isRemembered`: here too. */
export class DiscovererProblem extends Problem {
  constructor(
    cause: Problem,
    readonly isRemembered: boolean,
  ) {
    const { status, code, detail, headers } = cause;
    super({ status, code, detail, headers, cause });
  }
}
