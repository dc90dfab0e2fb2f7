import { Counter, Gauge, Registry } from 'prom-client';

export type EventResult = 'handled' | 'repeated' | 'unwanted' | 'unknown_type' | 'unreadable' | 'given_up' | 'missed';

export class ClientMetrics {
  readonly published: Counter<'type' | 'result'>;
  readonly events: Counter<'group' | 'result'>;
  readonly failures: Counter<'group' | 'type'>;
  readonly waits: Gauge;

  constructor(registry: Registry = new Registry()) {
    this.published = existing(registry, 'tranche_client_commands_total', (name) => {
      return new Counter({
        name,
        help: 'Commands handed over, by what became of the sending',
        labelNames: ['type', 'result'],
        registers: [registry],
      });
    });
    this.events = existing(registry, 'tranche_client_events_total', (name) => {
      return new Counter({
        name,
        help: 'Events read, by what became of them',
        labelNames: ['group', 'result'],
        registers: [registry],
      });
    });
    this.failures = existing(registry, 'tranche_client_handler_failures_total', (name) => {
      return new Counter({
        name,
        help: 'Handler calls that threw',
        labelNames: ['group', 'type'],
        registers: [registry],
      });
    });
    this.waits = existing(registry, 'tranche_client_waits', (name) => {
      return new Gauge({ name, help: 'Results waited for now', registers: [registry] });
    });
  }

  event(group: string, result: EventResult, count = 1): void {
    this.events.inc({ group, result }, count);
  }
}

function existing<M extends Counter | Gauge>(registry: Registry, name: string, make: (name: string) => M): M {
  return (registry.getSingleMetric(name) as M | undefined) ?? make(name);
}
