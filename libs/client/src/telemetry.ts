import { type HealthRegistry, silentLog, type Log } from '@tranche/runtime';
import type { ClientHealth } from './subscription.js';
import { Counter, Gauge, Registry } from 'prom-client';

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

export type EventResult = 'handled' | 'repeated' | 'unwanted' | 'unknown_type' | 'unreadable' | 'given_up' | 'missed';

export class ClientMetrics {
  readonly published: Counter<'type' | 'result'>;
  readonly events: Counter<'group' | 'result'>;
  readonly failures: Counter<'group' | 'type'>;
  readonly waits: Gauge;

  constructor(private readonly registry: Registry = new Registry()) {
    this.published = this.counter(
      'tranche_client_commands_total',
      'Commands handed over, by what became of the sending',
      ['type', 'result'],
    );
    this.events = this.counter('tranche_client_events_total', 'Events read, by what became of them', [
      'group',
      'result',
    ]);
    this.failures = this.counter('tranche_client_handler_failures_total', 'Handler calls that threw', [
      'group',
      'type',
    ]);
    this.waits = this.gauge('tranche_client_waits', 'Results waited for now');
  }

  event(group: string, result: EventResult, count = 1): void {
    this.events.inc({ group, result }, count);
  }

  private counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    const known = this.registry.getSingleMetric(name) as Counter<Label> | undefined;
    return known ?? new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  private gauge(name: string, help: string): Gauge {
    return (
      (this.registry.getSingleMetric(name) as Gauge | undefined) ??
      new Gauge({ name, help, registers: [this.registry] })
    );
  }
}

/** The default log: warnings and errors as JSON lines on standard error. */
export const logToStandardError: Log = {
  ...silentLog,
  warn: (fields, message) => console.warn(JSON.stringify({ level: 'warn', message, ...fields })),
  error: (fields, message) => console.error(JSON.stringify({ level: 'error', message, ...fields })),
};
