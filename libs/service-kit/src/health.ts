import { reasonOf } from '@tranche/runtime';

/** Returns the reason of the failure; undefined if all is well. Called on every probe, so it must be quick and must not wait. */
export type Check = () => string | undefined;

export interface Reason {
  name: string;
  reason: string;
}

export class Health {
  readonly #readiness = new Map<string, Check>();
  readonly #liveness = new Map<string, Check>();

  addReadiness(name: string, check: Check): void {
    this.#readiness.set(name, check);
  }

  addLiveness(name: string, check: Check): void {
    this.#liveness.set(name, check);
  }

  notReady(): Reason[] {
    return reasons(this.#readiness);
  }

  notLive(): Reason[] {
    return reasons(this.#liveness);
  }
}

function reasons(checks: ReadonlyMap<string, Check>): Reason[] {
  return [...checks].flatMap(([name, check]) => {
    const reason = outcome(check);
    return reason === undefined ? [] : [{ name, reason }];
  });
}

function outcome(check: Check): string | undefined {
  try {
    return check();
  } catch (error) {
    return `the check failed: ${reasonOf(error)}`;
  }
}
