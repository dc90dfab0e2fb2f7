/**
 * Stands in for prom-client in the packages (docs/decisions/0074): metrics that a registry of the application's prom-client can hold, by its
 * public methods `registerMetric` and `getSingleMetric`. The package then needs no prom-client, and an application without metrics loads none.
 */
class Metric {
  /** Labels and value by the labels' text. */
  kept = new Map();
  aggregator = 'sum';

  constructor({ name, help, labelNames = [], registers, collect, ...options }) {
    Object.assign(this, { name, help, labelNames }, options);
    this.collect = collect;
    this.reset();
    for (const registry of registers) registry.registerMetric(this);
  }

  at(labels) {
    const key = this.labelNames.map((name) => labels[name]).join('\n');
    if (!this.kept.has(key)) this.kept.set(key, { labels: { ...labels }, ...this.begin() });
    return this.kept.get(key);
  }

  async get() {
    await this.collect?.();
    const { name, help, type, aggregator } = this;
    return { name, help, type, aggregator, values: [...this.kept.values()].flatMap((one) => this.valuesOf(one)) };
  }

  valuesOf({ labels, value }) {
    return { labels, value };
  }

  /** A metric without labels is there from the beginning, as in prom-client. */
  reset() {
    this.kept.clear();
    if (this.labelNames.length === 0) this.at({});
  }
}

/** prom-client takes the value alone for a metric without labels. */
const withLabels = (labels, value) => (typeof labels === 'object' ? [labels, value] : [{}, labels]);

class Numeric extends Metric {
  begin() {
    return { value: 0 };
  }

  set(...given) {
    const [labels, value] = withLabels(...given);
    this.at(labels).value = value;
  }
}

export class Counter extends Numeric {
  get type() {
    return 'counter';
  }

  inc(...given) {
    const [labels, by = 1] = withLabels(...given);
    this.at(labels).value += by;
  }
}

export class Gauge extends Numeric {
  get type() {
    return 'gauge';
  }
}

export class Histogram extends Metric {
  get type() {
    return 'histogram';
  }

  begin() {
    return { sum: 0, counts: [...this.buckets, Infinity].map(() => 0) };
  }

  observe(...given) {
    const [labels, value] = withLabels(...given);
    const one = this.at(labels);
    one.sum += value;
    [...this.buckets, Infinity].forEach((most, at) => (one.counts[at] += value <= most ? 1 : 0));
  }

  valuesOf({ labels, sum, counts }) {
    const buckets = [...this.buckets, '+Inf'].map((le, at) => ({
      metricName: `${this.name}_bucket`,
      labels: { le, ...labels },
      value: counts[at],
    }));
    const more = { sum, count: counts.at(-1) };
    return [
      ...buckets,
      ...Object.entries(more).map(([what, value]) => ({ metricName: `${this.name}_${what}`, labels, value })),
    ];
  }
}

/** Takes the place of the application's registry where it gave none. */
export class Registry {
  getSingleMetric() {}
  registerMetric() {}
}
