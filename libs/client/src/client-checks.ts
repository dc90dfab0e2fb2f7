import type { HealthRegistry } from '@tranche/runtime';
import type { ClientHealth } from './tranche-client.js';

type Check = () => string | undefined;

/** The checks of a client's parts; they are in the caller's registry too, where it gave one. */
export class ClientChecks {
  readonly #readiness = new Set<Check>();
  readonly #liveness = new Set<Check>();
  readonly #parts = new Set<{ drop(): void }>();

  constructor(private readonly registry?: HealthRegistry) {}

  /** For one part of the client; after `drop` its checks count no more. */
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

  /** Of a client that is no more only this is left to say. */
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
