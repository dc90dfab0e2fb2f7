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

/** One registry per service: nothing registers globally, so that several services can run in one process. */
export class Metrics {
  readonly registry = new Registry();

  constructor(service: string) {
    this.registry.setDefaultLabels({ service });
  }

  /**
   * Adds those of the process itself: processor time, memory, event loop, garbage collection. Once in a process: what prom-client registers with
   * Node.js for it is never let go, and would keep alive whatever else the service holds.
   */
  collectProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  counter<L extends string>(configuration: Omit<CounterConfiguration<L>, 'registers'>): Counter<L> {
    return new Counter({ ...configuration, registers: [this.registry] });
  }

  gauge<L extends string>(configuration: Omit<GaugeConfiguration<L>, 'registers'>): Gauge<L> {
    return new Gauge({ ...configuration, registers: [this.registry] });
  }

  histogram<L extends string>(configuration: Omit<HistogramConfiguration<L>, 'registers'>): Histogram<L> {
    return new Histogram({ ...configuration, registers: [this.registry] });
  }
}
