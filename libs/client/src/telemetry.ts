import { type HealthRegistry, silentLog, type Log } from '@tranche/runtime';
import type { ClientHealth } from './subscription.js';
import { Counter, Gauge, Registry } from 'prom-client';

type Check = () => string | undefined;

interface Part extends HealthRegistry {
  readonly readiness: Check[];
  readonly liveness: Check[];
  /** Disables its checks. */
  drop(): void;
}

/** Health checks of a client's parts; also registered with the caller's registry, if given. */
export class ClientChecks {
  readonly #parts = new Set<Part>();
  #end: string | undefined;

  constructor(private readonly registry?: HealthRegistry) {}

  /** A registry for one part of the client. */
  part(): Part {
    const untilDropped = (check: Check) => () => (this.#parts.has(part) ? check() : undefined);
    const part: Part = {
      readiness: [],
      liveness: [],
      addReadiness: (name, check) => {
        part.readiness.push(check);
        this.registry?.addReadiness(name, untilDropped(check));
      },
      addLiveness: (name, check) => {
        part.liveness.push(check);
        this.registry?.addLiveness(name, untilDropped(check));
      },
      drop: () => void this.#parts.delete(part),
    };
    this.#parts.add(part);
    return part;
  }

  /** Replaces all checks by this reason. */
  end(reason: string): void {
    this.#parts.clear();
    this.#end = reason;
  }

  health(): ClientHealth {
    const parts = [...this.#parts];
    const notLive = parts.flatMap(({ liveness }) => liveness.flatMap((check) => check() ?? []));
    const notReady = parts.flatMap(({ readiness }) => readiness.flatMap((check) => check() ?? []));
    const reasons = [...notLive, ...notReady, ...(this.#end === undefined ? [] : [this.#end])];
    return { isLive: notLive.length === 0, isReady: reasons.length === 0, reasons };
  }
}

export type EventResult = 'handled' | 'repeated' | 'unwanted' | 'unknown_type' | 'unreadable' | 'given_up' | 'missed';

export class ClientMetrics {
  readonly published: Counter<'type' | 'result'>;
  readonly events: Counter<'group' | 'result'>;
  readonly failures: Counter<'group' | 'type'>;
  readonly waits: Gauge;

  constructor(private readonly registry: Registry = new Registry()) {
    this.published = this.#counter(
      'tranche_client_commands_total',
      'Commands handed over, by what became of the sending',
      ['type', 'result'],
    );
    this.events = this.#counter('tranche_client_events_total', 'Events read, by what became of them', [
      'group',
      'result',
    ]);
    this.failures = this.#counter('tranche_client_handler_failures_total', 'Handler calls that threw', [
      'group',
      'type',
    ]);
    this.waits = this.#gauge('tranche_client_waits', 'Results waited for now');
  }

  event(group: string, result: EventResult, count = 1): void {
    this.events.inc({ group, result }, count);
  }

  #counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    const known = this.registry.getSingleMetric(name) as Counter<Label> | undefined;
    return known ?? new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  #gauge(name: string, help: string): Gauge {
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
