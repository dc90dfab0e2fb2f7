import { Problem } from '@tranche/service-kit';

/** The account that discovers the realm has no token now. `isRemembered`: that account's failure was reported and is remembered, so it is not reported again here. */
export class DiscovererProblem extends Problem {
  constructor(
    cause: Problem,
    readonly isRemembered: boolean,
  ) {
    const { status, code, detail, headers } = cause;
    super({ status, code, detail, headers, cause });
  }
}
