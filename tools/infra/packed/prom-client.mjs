/**
 * The packages take from prom-client its metrics alone (docs/decisions/0074): its default metrics would load OpenTelemetry. The metrics
 * register at the application's registry by its public methods, so the package needs no prom-client.
 */
export { default as Counter } from 'prom-client/lib/counter.js';
export { default as Gauge } from 'prom-client/lib/gauge.js';
export { default as Histogram } from 'prom-client/lib/histogram.js';
export { default as Registry } from 'prom-client/lib/registry.js';
