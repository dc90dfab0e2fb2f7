import type { HealthRegistry } from '@tranche/runtime';
import type { ClientHealth } from './tranche-client.js';

type Check = () => string | undefined;

/** Health checks of a client's parts; also registered with the caller's registry, if given. */
export class ClientChecks {
  readonly #readiness = new Set<Check>();
  readonly #liveness = new Set<Check>();
  readonly #parts = new Set<{ drop(): void }>();

  constructor(private readonly registry?: HealthRegistry) {}

  /** A registry for one part of the client; `drop` disables its checks. */
  part(): HealthRegistry & { drop(): void } {
    const own = new Set<Check>();
    let isDropped = false;
    const untilDropped = (check: Check) => () => (isDropped ? undefined : check());
    const part = {
      addReadiness: (name: string, check: Check) => {
        own.add(check);
        this.#readiness.add(check);
        this.registry?.addReadiness(name, untilDropped(check));
      },
      addLiveness: (name: string, check: Check) => {
        own.add(check);
        this.#liveness.add(check);
        this.registry?.addLiveness(name, untilDropped(check));
      },
      drop: () => {
        isDropped = true;
        for (const check of own) {
          this.#readiness.delete(check);
          this.#liveness.delete(check);
        }
        this.#parts.delete(part);
      },
    };
    this.#parts.add(part);
    return part;
  }

  /** Replaces all checks by this reason. */
  end(reason: string): void {
    for (const part of this.#parts) part.drop();
    this.#readiness.add(() => reason);
  }

  health(): ClientHealth {
    const notLive = reasonsOf(this.#liveness);
    const notReady = reasonsOf(this.#readiness);
    return {
      isLive: notLive.length === 0,
      isReady: notLive.length + notReady.length === 0,
      reasons: [...notLive, ...notReady],
    };
  }
}

function reasonsOf(checks: Set<Check>): string[] {
  return [...checks].flatMap((check) => check() ?? []);
}
