import { combinations, reasonOf, type HealthCheck, type HealthRegistry } from '@tranche/runtime';
import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type CounterConfiguration,
  type GaugeConfiguration,
  type HistogramConfiguration,
} from 'prom-client';

export interface Reason {
  name: string;
  reason: string;
}

export class Health implements HealthRegistry {
  readonly #readiness = new Map<string, HealthCheck>();
  readonly #liveness = new Map<string, HealthCheck>();

  addReadiness(name: string, check: HealthCheck): void {
    this.#readiness.set(name, check);
  }

  addLiveness(name: string, check: HealthCheck): void {
    this.#liveness.set(name, check);
  }

  notReady(): Reason[] {
    return reasons(this.#readiness);
  }

  notLive(): Reason[] {
    return reasons(this.#liveness);
  }
}

function reasons(checks: ReadonlyMap<string, HealthCheck>): Reason[] {
  return [...checks].flatMap(([name, check]) => {
    const reason = outcome(check);
    return reason === undefined ? [] : [{ name, reason }];
  });
}

function outcome(check: HealthCheck): string | undefined {
  try {
    return check();
  } catch (error) {
    return `the check failed: ${reasonOf(error)}`;
  }
}

/** Values of each label, which are all that the label ever has. */
type Values = Record<string, readonly string[]>;
type OneOf<V extends Values> = { [L in keyof V]: V[L][number] };
interface Described<V extends Values> {
  name: string;
  help: string;
  labels: V;
}

/** One registry per service and none global, so that several services can run in one process. */
export class Metrics {
  readonly registry = new Registry();

  constructor(service: string) {
    this.registry.setDefaultLabels({ service });
  }

  /**
   * Adds process metrics: processor time, memory, event loop, garbage collection. To be called once per process: prom-client never releases
   * its hooks in Node.js, which would keep this service in memory.
   */
  collectProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  counter<L extends string>(configuration: Omit<CounterConfiguration<L>, 'registers'>): Counter<L> {
    return new Counter({ ...configuration, registers: [this.registry] });
  }

  /**
   * A counter that alerts read: every series of it is there from the start, at 0, because `increase` does not see one that begins with 1.
   * Other values of its labels do not compile.
   */
  counterFromZero<const V extends Values>({
    labels,
    ...about
  }: Described<V>): {
    inc(labels: OneOf<V>, value?: number): void;
  } {
    const counter = this.counter<string>({ ...about, labelNames: Object.keys(labels) });
    for (const series of combinations(labels)) counter.inc(series, 0);
    return counter;
  }

  gauge<L extends string>(configuration: Omit<GaugeConfiguration<L>, 'registers'>): Gauge<L> {
    return new Gauge({ ...configuration, registers: [this.registry] });
  }

  histogram<L extends string>(configuration: Omit<HistogramConfiguration<L>, 'registers'>): Histogram<L> {
    return new Histogram({ ...configuration, registers: [this.registry] });
  }

  /** As `counterFromZero`, for the counter of a histogram. */
  histogramFromZero<const V extends Values>({
    labels,
    ...about
  }: Described<V> & { buckets: number[] }): { observe(labels: OneOf<V>, value: number): void } {
    const histogram = this.histogram<string>({ ...about, labelNames: Object.keys(labels) });
    for (const series of combinations(labels)) histogram.zero(series);
    return histogram;
  }
}
