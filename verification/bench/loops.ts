import { percentile } from '../figures.js';

const WARM_UP_MS = 1_000;
const MEASURED_MS = 4_000;

export interface Throughput {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

/** Works in so many loops at once, after a warm-up. @param work resolves to the time at which the measured part of it began */
export async function loopsOf(concurrent: number, work: () => Promise<number>): Promise<Throughput> {
  const warmMs = performance.now() + WARM_UP_MS;
  const untilMs = warmMs + MEASURED_MS;
  const latenciesMs: number[] = [];
  const loop = async () => {
    while (performance.now() < untilMs) {
      const startedMs = await work();
      if (startedMs >= warmMs) latenciesMs.push(performance.now() - startedMs);
    }
  };
  await Promise.all(Array.from({ length: concurrent }, loop));
  const perSecond = (latenciesMs.length * 1_000) / MEASURED_MS;
  return { perSecond, p50Ms: percentile(latenciesMs, 0.5), p99Ms: percentile(latenciesMs, 0.99) };
}
